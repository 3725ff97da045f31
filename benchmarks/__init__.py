"""Speed, scale and latency, measured: `python -m benchmarks --help`, from the root of the checkout."""
