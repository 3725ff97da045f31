"""What this process takes of the memory now."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import resource
from pathlib import Path


def resident_mb() -> float:
    """Resident memory in MiB; where the system does not tell, its peak."""
    gc.collect()
    with contextlib.suppress(AttributeError, OSError):  # only glibc can give back what was freed
        ctypes.CDLL(None).malloc_trim(0)
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="utf8").split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
