"""Progress of long work, in a terminal or a notebook."""

from __future__ import annotations

import math
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from onlineboost.declarations.extras import require
from onlineboost.machine.progress import watched_by

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def progress(*, force: bool = False) -> Iterator[None]:
    """Show rows learned, rate, error so far and time left while `fit`, `partial_fit` or `prequential` run (needs tqdm).

    Silent where standard error is no terminal and no notebook. Ctrl-C stops between two rows; what was learned stays.

    Parameters
    ----------
    force : bool, default=False
        Show it anywhere.

    """
    notebook = "ipykernel" in sys.modules
    if not (force or notebook or (sys.stderr is not None and sys.stderr.isatty())):
        yield
        return
    tqdm: Any = require("tqdm.auto", "experiments", "Showing progress").tqdm
    with tqdm(unit=" rows", unit_scale=True, leave=False) as bar:

        def watch(done: int, total: int, error: float) -> None:
            if not math.isnan(error):
                bar.set_postfix_str(f"error {error:.4f}", refresh=False)
            if bar.total != total or done < bar.n:
                bar.reset(total)
            bar.update(done - bar.n)

        with watched_by(watch):
            yield
