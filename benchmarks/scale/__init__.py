"""How time and memory grow. Each measurement is a module that runs in a process of its own."""
