"""Peak memory of this process since its own program started (what a fork inherited does not count)."""

from __future__ import annotations

import resource
from pathlib import Path


def peak_mb() -> float:
    """In MiB."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="utf8").splitlines()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return next(float(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
