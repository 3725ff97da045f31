"""What was asked beside what was measured, and by how much a mark was missed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mark:
    """A number that should be at least, or at most, another."""

    what: str
    measured: float
    least: float | None = None
    most: float | None = None
    unit: str = "×"
    digits: int = 1
    more: str = ""

    @property
    def asked(self) -> str:
        """The bound, in words."""
        bound, sign = (self.least, "≥") if self.least is not None else (self.most, "≤")
        return f"{sign} {bound:g} {self.unit}"

    @property
    def verdict(self) -> str:
        """Reached, or how far from it: as a part of what was asked."""
        bound = self.least if self.least is not None else self.most
        if bound is None or bound <= 0:
            raise ValueError(f"The mark {self.what!r} needs a bound above 0.")
        gap = 1 - self.measured / bound if self.least is not None else self.measured / bound - 1
        if gap <= 0:
            return "reached"
        return f"missed by {max(gap, 0.001):.1%}".replace("%", " %")

    def line(self) -> str:
        """A row of the table."""
        value = f"{self.measured:,.{self.digits}f} {self.unit}"
        return f"| {self.what} | {value}{self.more} | {self.asked} | {self.verdict} |"


def table(marks: list[Mark]) -> list[str]:
    """All marks, and a line that counts."""
    missed = [mark for mark in marks if mark.verdict != "reached"]
    count = f"{len(marks) - len(missed)} of {len(marks)} marks are reached" + (":" if missed else ".")
    lines = ["| what | measured | asked | |", "|---|---|---|---|", *(mark.line() for mark in marks), "", count]
    return lines + [f"- {mark.what}: {mark.verdict}." for mark in missed] if missed else lines
