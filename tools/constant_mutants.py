"""Mutants of every constant in the formulas of the theory: each number, changed, must show in a pinned value.

A mutant is the source of a module with one number in it changed. What is pinned are values of its functions that were
computed by other means: by hand, by quadrature, by the formula written out differently.
"""

from __future__ import annotations

import ast
import math
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from onlineboost.theory import risk_bound

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

THEORY = Path(__file__).resolve().parents[1] / "src" / "onlineboost" / "theory"
LN4 = 1.3862943611198906
BETA = 0.05268025782891314  # -ln(0.9)/2
HAT = (math.exp(BETA * 22 / 21) - 1) / BETA - 1
B = 4 / 3 * LN4 + 2


def constants_pins(m: Any) -> list[float]:
    """Values at γ = 0.1, 0.3 and 10⁻⁴ (where a series stands in), each less what it must be."""
    c, d, tiny = m.constants(0.1), m.constants(0.3, 0.2), m.constants(1e-4)
    u = tiny.beta * (1 + tiny.theta)
    series = (1 + tiny.theta) * math.fsum(u**n / math.factorial(n + 1) for n in range(1, 12))
    near = m.constants(1.9e-3)
    v = near.beta * (1 + near.theta)
    near_series = (1 + near.theta) * math.fsum(v**n / math.factorial(n + 1) for n in range(1, 12))
    return [
        c.theta - 1 / 21,
        c.beta - BETA,
        c.gamma_hat - HAT,
        c.kappa - (c.gamma_hat - 1 / 21),
        d.beta - 0.178337471969366,
        d.gamma_hat - (0.2 + (math.exp(0.178337471969366 * 1.2) - 1) / 0.178337471969366 - 1.2),
        (tiny.kappa / series - 1) * 1e4,
        (near.kappa / near_series - 1) * 1e4,
        c.ceiling - 1 / BETA,
        c.mass_needed - 800,
        float(c.weight(2.0)) - 0.9,
        float(c.weight(-3.0)) - 1,
        float(c.phi(2.0)) - 0.1 / BETA,
        float(c.phi(-2.0)) + 2,
        float(c.phi(0.5)) - (1 - 0.9**0.25) / BETA,
        float(c.phi(0.005)) - (1 - 0.9**0.0025) / BETA,
        c.most_learners(0.5) - 1 / BETA / 0.5 / (0.2 - HAT),
        c.certified_by(0.2, 100) - 0.01 / BETA / (0.2 - HAT),
    ]


def bounds_pins(m: Any) -> list[float]:
    """Values at T = 100, N = 4, each less what it must be."""
    root = math.sqrt(LN4)
    return [
        m.ocp_bound(100, 4, 0.5) - 39,
        m.ocp_bound(100, 4) - 48,
        m.ocp_bound(100, 1),
        m.ocp_bound(0, 4),
        m.ocp_bound(1, 4) - 3,
        m.ocp_path_bound(4, 0.5, 6) - 5,
        m.ocp_path_bound(2, 0.5, 6) - 5,
        m.ocp_path_bound(1, 0.5, 6),
        m.ocp_path_bound(4, 0, 6),
        m.eg_bound(100, 4) - 20 * root,
        m.eg_bound(100, 1),
        m.eg_bound(1, 2) - 2 * math.sqrt(math.log(2)),
        m.eg_bound(0, 4),
        m.eg_path_bound(4, 0.5, 6) - (2 * LN4 + 3),
        m.eg_path_bound(2, 0.5, 6) - (2 * math.log(2) + 3),
        m.eg_path_bound(1, 0.5, 6),
        m.eg_path_bound(4, 0, 6),
        m.expert_bound(100, 4, "anytime", 7) - 10 * root,
        m.expert_bound(100, 4, "adahedge", 90) - (10 * root + B),
        m.expert_bound(100, 4, "adahedge", 3) - (B + 2 * LN4 + 2 * math.sqrt(LN4 * (3 + LN4 + B))),
        m.expert_bound(100, 4, "paper", 7) - (7 * (2 * math.log(2) - 1) + 2 * LN4),
        m.expert_bound(100, 4, 0.1, 90) - (10 * LN4 + 1.25),
        m.expert_bound(100, 1, 0.1, 7),
        m.expert_bound(0, 4, 0.1, 0),
        m.expert_bound(100, 2, "anytime", 7) - 10 * math.sqrt(math.log(2)),
        m.expert_bound(1, 4, "anytime", 0) - root,
        m.fixed_path_bound(4, 0.1, 100) - (10 * LN4 + 1.25),
        m.fixed_path_bound(1, 0.1, 100),
        m.fixed_path_bound(2, 0.1, 100) - (10 * math.log(2) + 1.25),
        m.anytime_path_bound(4, 100, 16) - (5 * root + 2),
        m.adahedge_path_bound(3) - 6,
        m.majority_bound(4, math.log(2), 7) - 9 / (2 - math.log2(3)),
        m.majority_bound(4, 2.0, 1) - (2 + LN4) / math.log(2 / (1 + math.exp(-2.0))),
        m.share_bound(4, 10, 7) - (2 * math.log(2**7 * 40) - 7),
        m.share_majority_bound(4, 10, 7) - math.log(2**7 * 40) / (LN4 - math.log(3)),
    ]


def risk_pins(m: Any) -> list[float]:
    """Values of the bound at few and many mistakes, and of the band."""

    def by_hand(loss: float, n: float, alpha: float, j: int) -> float:
        rate = 2.0 ** (1 - j)
        return math.expm1(-(rate * loss + math.log(j * (j + 1) / alpha)) / n) / math.expm1(-rate)

    def best(loss: float, n: float, alpha: float) -> float:
        return min(1.0, *(by_hand(loss, n, alpha, j) for j in range(1, 41)))

    low, high = m.risk_band(70, 1000)
    return [
        m.risk_bound(7, 100) - best(7, 100, 0.05),
        m.risk_bound(300, 1000) - best(300, 1000, 0.05),
        m.risk_bound(7, 100, 0.2, 4) - best(7, 100, 0.05),
        m.risk_bound(0.0, 0) - 1,
        m.risk_bound(1e25, 1e26) - best(1e25, 1e26, 0.05),
        m.risk_bound(0, 1, 0.99) - best(0, 1, 0.99),
        m.risk_bound([7, 300], [100, 1000])[1] - best(300, 1000, 0.05),
        high - best(70, 1000, 0.025),
        low - (1 - best(930, 1000, 0.025)),
    ]


class Mixture:
    """What the bounds of a mixture are read off: two families, of which the second has retired in its generation."""

    n_examples = 400

    def __init__(self, **more: Any) -> None:
        self.state = {
            "mixture_loss": np.array([250.0]),
            "expert_losses": np.array([9.0, 10.0, 20.0, 7.0, 30.0, 40.0]),
            "generations": np.array([1, 2, 0, 0, 1, 50, 60]),
            "families_present": np.array([1.0, 1.0, 1.0, 0.0]),
            "largest_weight": np.array([1.0]),
            "example_weight": np.array([400.0]),
            "family_mistakes": np.array([80.0, 90.0, 100.0]),
            "stack_covariance": np.ones(1),
        } | more
        self.recipe = SimpleNamespace(members=lambda: [SimpleNamespace(name="a"), SimpleNamespace(name="b")])

    def booster_state(self) -> dict[str, Any]:
        """As of a machine."""
        return self.state


def family_risk_pins(m: Any) -> list[float]:
    """Bounds of errors and of log-losses, with generations and without; NaN, here told as 9, where there is none."""
    most = 12 + math.log1p(math.exp(-12))
    one = {"generations": None, "families_present": np.ones(2), "expert_losses": np.array([9.0, 10.0, 20.0])}
    plain = Mixture(**one)
    del plain.state["generations"]
    weighted, old, many = Mixture(example_weight=np.array([399.0])), Mixture(), Mixture()
    del old.state["family_mistakes"]
    del many.state["stack_covariance"]  # of many classes, whose losses have another bound

    def told(machine: Any, loss: str) -> list[float]:
        return [9.0 if math.isnan(x) else x for x in m.bounds_of(machine, 0.05, loss).values()]

    def log(lost: float, n: int, among: int) -> float:
        return most * risk_bound(lost / most, n, 0.05, among)

    expected = [
        (told(Mixture(), "error"), [*risk_bound([80, 90], 400, 0.05, 3), 9]),
        (told(Mixture(), "log"), [log(250, 400, 6), log(30, 350, 3 * 51 * 52), 9]),
        (told(plain, "error"), risk_bound([80, 90, 100], 400, 0.05, 3)),
        (told(plain, "log"), [log(250, 400, 6), log(10, 400, 6), log(20, 400, 6)]),
        (told(weighted, "error"), [9, 9, 9]),
        (told(Mixture(largest_weight=np.array([2.0])), "log"), [9, 9, 9]),
        (told(old, "error"), [9, 9, 9]),
        (told(many, "error"), [9, 9, 9]),
    ]
    return [a - b for found, wanted in expected for a, b in zip(found, wanted, strict=True)]


PINS: dict[str, Callable[[Any], list[float]]] = {
    "constants": constants_pins,
    "bounds": bounds_pins,
    "risk": risk_pins,
    "family_risk": family_risk_pins,
}
# Mutants that are the same function: guards at which both sides agree, or that keep rounding away.
EQUIVALENT = {
    "1e-280": "a ceiling for γ below 10⁻²⁷⁹",
    "0.001": "where the series takes over: both agree there",
    "41": "rates beyond the 40th are for more than 10²⁰ examples",
}


def _numbers(tree: ast.AST) -> Iterator[ast.Constant]:
    """Numbers in the order of the source, but for the ranges of parameters and the -1 of `reshape`."""
    checked = {
        inner
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and ast.unparse(call.func).startswith("checks.")
        for inner in ast.walk(call)
    } | {
        call.args[0].operand
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and call.args and isinstance(call.args[0], ast.UnaryOp)
        if ast.unparse(call.func).endswith("reshape")
    }
    for node in ast.walk(tree):
        if node in checked:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
            yield node


def _module(name: str, tree: ast.AST) -> ModuleType:
    module = ModuleType(f"onlineboost.theory.{name}_mutant")
    sys.modules[module.__name__] = module  # dataclasses look themselves up
    exec(compile(ast.fix_missing_locations(tree), name, "exec"), vars(module))  # noqa: S102  # our own source
    return module


def holds(name: str, module: Any) -> bool:
    """Whether every pinned value of a module is what it must be."""
    try:
        return all(abs(off) <= 1e-9 for off in PINS[name](module))
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return False


def mutants(name: str) -> Iterator[tuple[str, bool]]:
    """(which number on which line, whether it was noticed) for every number of a module, made a little larger."""
    source = (THEORY / f"{name}.py").read_text(encoding="utf8")
    for k, node in enumerate(_numbers(ast.parse(source))):
        shown = ast.unparse(node)
        if shown in EQUIVALENT:
            continue
        tree = ast.parse(source)
        changed = list(_numbers(tree))[k]
        value = changed.value
        changed.value = value + 1 if isinstance(value, int) else value * 1.01 if value else 0.01
        yield f"{name}.py, line {node.lineno}: {shown}", not holds(name, _module(name, tree))
