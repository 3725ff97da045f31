"""The paper's experiments: grids of cells, a store that survives interruption, tables, claims, figures, report."""
