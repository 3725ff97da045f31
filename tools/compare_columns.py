"""What this package and six others do with twelve kinds of columns and cells: each is tried, and the table written.

    pip install lightgbm catboost river vowpalwabbit
    python tools/compare_columns.py

Writes the block `columns` of docs/data.md. A cell is accepted if a small model fits the data as they are, by defaults,
and gives finite predictions; else the ways that its package has for them are tried in turn. Times, texts and numbers
among words must also be understood: predictions for rows that were not learned must be right for three of four.
"""

from __future__ import annotations

import importlib.metadata
import logging
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from page_blocks import fill

Data = tuple[Any, Any, Any]  # rows and labels to learn, rows to predict
Way = Callable[[Data], Any]  # gives predictions, or raises

PAGE = Path(__file__).resolve().parents[1] / "docs" / "data.md"
N = 400
RNG = np.random.default_rng(0)
Y = np.arange(N) % 2
X1, X2 = 4 * Y + RNG.normal(size=N), RNG.normal(size=N)
CITY = np.where(RNG.random(N) < 0.5, "Paris", np.where(Y == 1, "Rome", "Oslo")).astype(object)


def frame(**columns: Any) -> pd.DataFrame:
    """The columns, beside one of plain numbers."""
    return pd.DataFrame({**columns, "plain": X2})


UNDERSTOOD = {'text cells "NA", "?", empty', "times", "text"}  # as more than values without a meaning
LEARNED = N - 100


def both(X: Any) -> Data:
    """The first rows are learned, the others predicted."""
    return X[:LEARNED], Y[:LEARNED], X[LEARNED:]


def sentence(word: str) -> str:
    """Four words and one that tells, in any order."""
    return " ".join(RNG.permutation([word, *RNG.choice(["a", "the", "red", "of", "in", "green", "old"], 4)]))


def data() -> dict[str, Data]:
    """The twelve kinds."""
    hole = RNG.random(N) < 0.1
    many = np.array([f"id{k}" for k in np.arange(20_000) % 10_000], object)
    ids = pd.DataFrame({"id": many, "plain": RNG.normal(size=20_000)})
    start = pd.Timestamp("2024-01-01")
    return {
        "NaN in a number": both(frame(a=np.where(hole, np.nan, X1))),
        "NA in a nullable column": both(frame(a=pd.array(np.where(hole, None, np.round(X1)), "Int64"))),
        'text cells "NA", "?", empty': both(
            frame(a=np.where(hole, RNG.choice(["NA", "?", ""], N), np.char.mod("%.3f", X1)).astype(object))
        ),
        "infinity": both(frame(a=np.where(hole, np.inf, X1))),
        "strings": both(frame(city=CITY)),
        "unknown category": (frame(city=CITY), Y, frame(city=np.full(N, "Bergen", object))[:100]),
        "10,000 categories": (ids, np.arange(20_000) % 2, ids[:N]),
        "times": both(
            frame(
                when=start + pd.to_timedelta(24 * RNG.integers(0, 500, N) + 12 * Y + RNG.integers(0, 12, N), unit="h")
            )
        ),
        "text": both(frame(words=[sentence("fox" if one else "bird") for one in Y])),
        "flags": both(frame(flag=Y == 1)),
        "sparse rows": both(sp.random_array((N, 50), density=0.1, format="csr", rng=np.random.default_rng(0))),
        "rows as dicts": both([{"a": float(a), "city": str(c)} for a, c in zip(X1, CITY, strict=True)]),
    }


def texts(X: Any) -> list[str]:
    """The columns of strings."""
    return [] if not isinstance(X, pd.DataFrame) else list(X.select_dtypes(["object", "string"]))


def as_category(model: Any) -> Way:
    """Columns of strings as pandas' categories."""

    def run(given: Data) -> Any:
        X, y, T = given
        names = texts(X)
        if not names:
            raise TypeError("no strings")
        T = T.assign(**{name: pd.Categorical(T[name], X[name].astype("category").cat.categories) for name in names})
        return model().fit(X.astype(dict.fromkeys(names, "category")), y).predict(T)

    return run


def plain(model: Any) -> Way:
    """As they are."""
    return lambda given: model().fit(given[0], given[1]).predict(given[2])


def named(model: Any, option: str, *, constructor: bool = False) -> Way:
    """Columns of strings named by an option."""

    def run(given: Data) -> Any:
        X, y, T = given
        if not texts(X):
            raise TypeError("no strings")
        if constructor:
            return model(**{option: texts(X)}).fit(X, y).predict(T)
        return model().fit(X, y, **{option: texts(X)}).predict(T)

    return run


def piped(model: Any, step: Any) -> Way:
    """After a transformer of scikit-learn for the columns of strings, or for whole rows."""
    from sklearn.compose import make_column_transformer  # noqa: PLC0415  # with its users
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415  # as above

    def run(given: Data) -> Any:
        X, y, T = given
        if not isinstance(X, pd.DataFrame):
            return make_pipeline(step(), model()).fit(X, y).predict(T)
        if not texts(X):
            return make_pipeline(step(), model()).fit(X, y).predict(T)
        columns = texts(X)[0] if step.__name__.endswith("Vectorizer") else texts(X)
        changed = make_column_transformer((step(), columns), remainder="passthrough")
        return make_pipeline(changed, model()).fit(X, y).predict(T)

    return run


def records(X: Any) -> list[dict[Any, Any]]:
    """Rows as dicts."""
    if sp.issparse(X):
        return [{int(k): float(v) for k, v in zip(X[[r]].indices, X[[r]].data, strict=True)} for r in range(X.shape[0])]
    return X.to_dict("records") if isinstance(X, pd.DataFrame) else X


def one_by_one(model: Any) -> Way:
    """river: dicts, one after another."""

    def run(given: Data) -> Any:
        X, y, T = given
        rows, asked = records(X), records(T)
        fitted = model()
        for row, label in zip(rows, y.tolist(), strict=True):
            fitted.learn_one(row, bool(label))
        return [fitted.predict_proba_one(row).get(True, 0.0) for row in asked]

    return run


def frames_of_vw(X: Any, y: Any) -> list[str]:
    """VW's own text lines of a frame."""
    from vowpalwabbit.dftovw import DFtoVW  # noqa: PLC0415  # a peer

    made: list[str] = DFtoVW.from_column_names(df=X.assign(label=y), y="label", x=list(X)).convert_df()
    return made


def lines_by_hand(X: Any, y: Any) -> list[str]:
    """Text lines as its pages describe them: numbers are values, words of strings are features, what lacks is 0."""

    def feature(name: Any, value: Any) -> str:
        if isinstance(value, str):
            return " ".join(f"{name}={word}" for word in value.split())
        return f"{name}:{float(value)}"

    return [
        f"{label} | " + " ".join(feature(name, value) for name, value in row.items() if value is not pd.NA)
        for row, label in zip(records(X), y.tolist(), strict=True)
    ]


def vw_lines(write: Callable[[Any, Any], list[str]]) -> Way:
    """VW, which reads text."""

    def run(given: Data) -> Any:
        import vowpalwabbit as vw  # noqa: PLC0415  # a peer

        X, y, T = given
        learned, asked = write(X, np.where(y == 1, 1, -1)), write(T, np.ones(len(records(T)), int))
        workspace = vw.Workspace("--loss_function logistic --quiet --strict_parse --link logistic")
        for _ in range(5):
            for line in learned:
                workspace.learn(line)
        found = [workspace.predict(line) for line in asked]
        workspace.finish()
        return np.asarray(found)

    return run


def systems() -> dict[str, dict[str, Way]]:
    """The ways of each package, in the order in which they are tried."""
    import catboost  # noqa: PLC0415  # peers are asked for here
    import lightgbm  # noqa: PLC0415  # as above
    from river import compose, linear_model, preprocessing, tree  # noqa: PLC0415  # as above
    from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: PLC0415  # as above
    from sklearn.feature_extraction import DictVectorizer  # noqa: PLC0415  # as above
    from sklearn.feature_extraction.text import CountVectorizer  # noqa: PLC0415  # as above
    from sklearn.impute import SimpleImputer  # noqa: PLC0415  # as above
    from sklearn.linear_model import SGDClassifier  # noqa: PLC0415  # as above
    from sklearn.preprocessing import OneHotEncoder  # noqa: PLC0415  # as above

    from onlineboost import OnlineBoostClassifier  # noqa: PLC0415  # beside the others

    def light() -> Any:
        return lightgbm.LGBMClassifier(n_estimators=3, min_child_samples=1, verbose=-1)

    def cat(**options: Any) -> Any:
        return catboost.CatBoostClassifier(iterations=3, verbose=False, allow_writing_files=False, **options)

    def lenient() -> Any:
        return OneHotEncoder(handle_unknown="ignore")

    def dense() -> Any:
        return DictVectorizer(sparse=False)

    lenient.__name__, dense.__name__ = "OneHotEncoder", "DictVectorizer"
    histogram = lambda **options: HistGradientBoostingClassifier(max_iter=3, **options)  # noqa: E731  # as a class
    return {
        "onlineboost": {
            "": plain(lambda: OnlineBoostClassifier(random_state=0)),
            '`schema={"a": "number"}`': plain(lambda: OnlineBoostClassifier(random_state=0, schema={"a": "number"})),
            '`schema={"words": "text"}`': plain(
                lambda: OnlineBoostClassifier(random_state=0, schema={"words": "text"})
            ),
        },
        "LightGBM": {"": plain(light), "pandas categories": as_category(light)},
        "CatBoost": {
            "": plain(cat),
            "`cat_features`": named(cat, "cat_features"),
            "`text_features`": named(cat, "text_features"),
        },
        "HistGradientBoosting": {
            "": plain(histogram),
            "`categorical_features`": named(histogram, "categorical_features", constructor=True),
        },
        "VW": {"": vw_lines(frames_of_vw), "text lines": vw_lines(lines_by_hand)},
        "river": {
            "": one_by_one(linear_model.LogisticRegression),
            "a tree": one_by_one(tree.HoeffdingTreeClassifier),
            "`OneHotEncoder`": one_by_one(
                lambda: compose.Pipeline(preprocessing.OneHotEncoder(), linear_model.LogisticRegression())
            ),
        },
        "scikit-learn": {
            "": plain(lambda: SGDClassifier(random_state=0)),
            "`SimpleImputer`": piped(lambda: SGDClassifier(random_state=0), SimpleImputer),
            "`OneHotEncoder`": piped(lambda: SGDClassifier(random_state=0), lenient),
            "`CountVectorizer`": piped(lambda: SGDClassifier(random_state=0), CountVectorizer),
            "`DictVectorizer`": piped(lambda: SGDClassifier(random_state=0), dense),
        },
    }


def outcome(kind: str, ways: dict[str, Way], given: Data) -> str:
    """The first way that works."""
    for word, way in ways.items():
        try:
            found = np.asarray(way(given), float)
        except Exception:  # noqa: BLE001, S112  # a refusal, whatever its class
            continue
        right = np.mean((found > 0.5) == Y[LEARNED:]) if kind in UNDERSTOOD else 1.0
        if np.isfinite(found).all() and right > 0.75:
            return word or "accepted"
    return "no"


PACKAGES = {"LightGBM": "lightgbm", "CatBoost": "catboost", "VW": "vowpalwabbit", "river": "river",
            "HistGradientBoosting": "scikit-learn", "scikit-learn": "scikit-learn"}  # fmt: skip


def main() -> None:
    """Try all cells and write the block."""
    logging.disable()
    warnings.simplefilter("ignore")
    ways, kinds = systems(), data()
    heads = [name + (f" {importlib.metadata.version(PACKAGES[name])}" if name in PACKAGES else "") for name in ways]
    table = ["| | " + " | ".join(heads) + " |", "|---" * (len(ways) + 1) + "|"]
    for kind, given in kinds.items():
        table.append(f"| {kind} | " + " | ".join(outcome(kind, one, given) for one in ways.values()) + " |")
        print(table[-1], flush=True)
    fill(PAGE, "columns", table)


if __name__ == "__main__":
    main()
