"""Who learns which rows: systems, data sets, and the cells that follow from them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from benchmarks.jobs import SCRIPTS


@dataclass(frozen=True)
class System:
    """A row of the tables. A slow one gets the shared rows only, and `small` ones the smallest sets only."""

    name: str
    peer: str
    options: tuple[str, ...]
    slow: bool = False
    small: bool = False
    letters: tuple[str, ...] = ()  # options where the features are letters

    @property
    def script(self) -> str:
        """The file that runs it."""
        return SCRIPTS[self.peer]


@dataclass(frozen=True)
class DataSet:
    """A data set, the best figure of the prototypes, and the mark.

    Whole streams are learned in `orders` orders by those who are fast. Shared by all systems are the first
    `shared_orders` of them, up to row `prefix` if there is one.
    """

    examples: int
    best: float
    by: str
    asked: float
    orders: int = 5
    shared_orders: int = 5
    prefix: int | None = None
    scaled: bool = False
    letters: bool = False

    @property
    def is_small(self) -> bool:
        """Whether the slowest systems can afford it."""
        return self.examples <= 1000


@dataclass(frozen=True)
class OwnOrder:
    """A stream in its own order, up to a row: columns that are dropped, and those that are categories."""

    rows: int = 50_000
    dropped: tuple[str, ...] = ()
    nominal: tuple[str, ...] = ()


@dataclass(frozen=True)
class Cell:
    """One system over one order of one data set, as a whole or up to a row."""

    system: str
    data: str
    order: int
    rows: int | None = None

    @property
    def key(self) -> str:
        """Its name in the file of cells."""
        return f"{self.system} | {self.data} | {self.order} | {self.rows or 'all'}"


def _trees(booster: str, number: int = 30) -> tuple[str, ...]:
    return ("--booster", booster, "--base", "hoeffding-tree", "--learners", str(number))


def _forest(name: str, number: int) -> tuple[str, ...]:
    return ("--booster", name, "--learners", str(number))


LONG = 10_000  # examples
DEFAULT, ARF = "OnlineBoostClassifier()", "CapyMOA ARF × 30"
SYSTEMS = (
    System(DEFAULT, "ours", ("--booster", "default")),
    System("OSBoost × 100 Perceptron", "ours", ()),
    System("OSBoost × 30 HoeffdingTree", "ours", ("--learner", "hoeffding-tree", "--learners", "30", "--gamma", "0.5")),
    System("one Scaled AdaGradLogistic", "ours", ("--booster", "one", "--learner", "adagrad")),
    System("one full AROW", "ours", ("--booster", "one", "--learner", "arow")),
    System("VW alone", "vw", ("--learners", "0")),
    System("VW BBM × 100", "vw", ("--learners", "100", "--alg", "BBM")),
    System(
        "river logistic", "river", ("--booster", "none", "--base", "scaled-logistic-regression", "--dense"), slow=True
    ),
    System("CapyMOA SmoothBoost × 30", "capymoa", _trees("OnlineSmoothBoost"), slow=True, letters=("--nominal",)),
    System("CapyMOA OzaBoost × 30", "capymoa", _trees("OzaBoost"), slow=True, letters=("--nominal",)),
    System(ARF, "capymoa", _forest("ARF", 30), slow=True),
    System("CapyMOA SRP × 30", "capymoa", _forest("SRP", 30), slow=True),
    System("CapyMOA SGBT × 100", "capymoa", _forest("SGBT", 100), slow=True),
    System("river ARF × 10", "river", (*_forest("ARFClassifier", 10), "--dense"), slow=True, small=True),
)

# Batch boosters that keep all rows: benchmarks/peers/batch_peer.py.
LIGHTGBM = "LightGBM"
RETRAINED = (
    System(LIGHTGBM, "batch", ("--model", "lightgbm")),
    System("XGBoost", "batch", ("--model", "xgboost"), slow=True),
    System("CatBoost", "batch", ("--model", "catboost"), slow=True),
    System("HistGradientBoosting", "batch", ("--model", "sklearn"), slow=True),
)
LOW = System('OnlineBoostClassifier(effort="low")', "ours", ("--booster", "low"))
BY_NAME = {system.name: system for system in (*SYSTEMS, *RETRAINED, LOW)}

# The best of a grid of prototypes (linear, random Fourier features, Naive Bayes) and of CapyMOA's trees, in hindsight.
DATA = {
    "heart": DataSet(270, 0.1837, "AROW, full", 0.1837),
    "breast-cancer": DataSet(683, 0.0337, "300 Fourier features", 0.0337),
    "australian": DataSet(690, 0.1354, "Bernoulli Naive Bayes", 0.1354),
    "diabetes": DataSet(768, 0.2331, "300 Fourier features", 0.234),
    "german": DataSet(1000, 0.2512, "AROW, full", 0.252),
    "splice": DataSet(3175, 0.0649, "SRP × 30", 0.065, shared_orders=2, scaled=True, letters=True),
    "mushrooms": DataSet(8124, 0.0021, "AROW, full", 0.0021, shared_orders=2),
    "adult": DataSet(48_842, 0.1526, "AROW, full", 0.1526, shared_orders=1, prefix=10_000),
    "w8a": DataSet(49_749, 0.0152, "SCW", 0.0152, shared_orders=1, prefix=5_000),
    "ijcnn1": DataSet(141_691, 0.0191, "ARF × 30", 0.0191, orders=2, shared_orders=1, prefix=10_000),
    "cod-rna": DataSet(331_152, 0.0366, "ARF × 30", 0.037, orders=2, shared_orders=1, prefix=10_000, scaled=True),
    "covertype": DataSet(581_012, 0.0944, "ARF × 10", 0.094, orders=2, shared_orders=1, prefix=10_000),
}


BANK = ("job", "marital", "education", "default", "housing", "loan", "contact", "month", "day_of_week", "poutcome")
STREAMS = {
    "elec": OwnOrder(nominal=("day",)),
    "airlines": OwnOrder(nominal=("Airline", "AirportFrom", "AirportTo", "DayOfWeek")),
    "bank-marketing": OwnOrder(dropped=("duration",), nominal=BANK),
    "nomao": OwnOrder(),
    "ozone": OwnOrder(),
    "sea-50k": OwnOrder(),
    "spam-500": OwnOrder(),
    "usenet1": OwnOrder(),
    "insects-gradual-balanced": OwnOrder(),
    "keystroke": OwnOrder(),
    "outdoor": OwnOrder(),
    "gas-sensor-8-of-10": OwnOrder(dropped=("batch",)),
    "interchanging-rbf": OwnOrder(),
    "poker-lsn": OwnOrder(nominal=("s1", "s2", "s3", "s4", "s5")),
    "covtype": OwnOrder(),
}


def whole(system: str, data: str) -> list[Cell]:
    """The cells of a whole stream; none for slow systems."""
    return [] if BY_NAME[system].slow else [Cell(system, data, order) for order in range(DATA[data].orders)]


def retrained(system: str, data: str) -> list[Cell]:
    """The cells of a comparison with batch boosters: whole streams, of long ones one order, as for slow systems."""
    if data in STREAMS:
        return [Cell(system, data, 0, STREAMS[data].rows)]
    one = BY_NAME[system].slow or DATA[data].examples > LONG
    return [Cell(system, data, order) for order in range(1 if one else DATA[data].orders)]


def shared(system: str, data: str) -> list[Cell]:
    """The cells on the rows that all systems learn."""
    at = DATA[data]
    if BY_NAME[system].small and not at.is_small:
        return []
    return [Cell(system, data, order, at.prefix) for order in range(at.shared_orders)]


def cells(*, quick: bool = False) -> list[Cell]:
    """All cells, those that tell most for their time first; `quick` is one order of the smallest data set.

    Fast systems on the shared rows, our default on all; slow systems; whole streams of the other fast ones.
    """
    if quick:
        return [cell for system in SYSTEMS for cell in shared(system.name, "heart")[:1]]
    slow, fast = ([system.name for system in SYSTEMS if system.slow == kind] for kind in (True, False))
    ordered = [cell for data in DATA for name in fast for cell in shared(name, data)]
    ordered += [cell for data in DATA for cell in whole(DEFAULT, data)]
    ordered += [cell for data in DATA for name in slow for cell in shared(name, data)]
    ordered += [cell for data in DATA for name in fast for cell in whole(name, data)]
    return list(dict.fromkeys(ordered))


def options(cell: Cell) -> list[str]:
    """What a cell's script is told."""
    system = BY_NAME[cell.system]
    return [*system.options, *(system.letters if cell.data in DATA and DATA[cell.data].letters else ())]


def tasks(wanted: list[Cell]) -> list[list[Cell]]:
    """Cells that one process can do: orders of one data set, up to the same row."""
    return [list(some) for _, some in groupby(wanted, lambda cell: (cell.system, cell.data, cell.rows))]
