"""HTML pages that load nothing."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources
from string import Template


def asset(package: str, name: str) -> str:
    """A text file in the folder `assets` of a package."""
    return resources.files(package).joinpath("assets", name).read_text(encoding="utf-8")


def fill(package: str, name: str, *, script: str = "", **parts: str) -> str:
    """The page `NAME.html` with its style `NAME.css`, a script, and `parts` filled in, which are HTML already.

    Its Content-Security-Policy admits this style and this script, pictures inside the page, and nothing else.
    """
    style = asset(package, f"{name}.css")
    policy = (
        f"default-src 'none'; img-src data:; style-src {_digest(style)}; script-src {_digest(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    page = Template(asset(package, f"{name}.html"))
    return page.substitute(parts, policy=policy, style=style, script=script)


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
