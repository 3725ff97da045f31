"""The examples of the reference pages, by module and name; the tests run each of them in an empty folder."""

from __future__ import annotations

from importlib import import_module

ROWS = """\
from sklearn.datasets import make_classification
{imports}

X, y = make_classification(500, random_state=0)
"""
MANY_ROWS = """\
from sklearn.datasets import load_iris
{imports}

X, y = load_iris(return_X_y=True)
"""
LABEL_ROWS = """\
from sklearn.datasets import make_multilabel_classification
from onlineboost import {names}

X, Y = make_multilabel_classification(300, n_classes=4, random_state=0)
"""
CERTIFIED = (
    ROWS.format(imports="from onlineboost import OSBoostClassifier, theory")
    + "model = OSBoostClassifier(random_state=0).fit(X, y)\n"
)
RECORDED = (
    ROWS.format(imports="from onlineboost import OSBoostClassifier, theory")
    + "recording = theory.record(OSBoostClassifier(n_learners=10, random_state=0), X, y)\n"
)
FILE = """\
from pathlib import Path

from onlineboost import streams

Path("mail.csv").write_text("words,length,label\\nfree money,12,spam\\nsee you at noon,40,ham\\n")
"""
SHARDS = (
    "from onlineboost.distributed import ArrayShard, ShardError, array_shards, learn_shard, train_shards\n"
    + ROWS.format(imports="from onlineboost import AROW, OSBoostClassifier")
    + "model = OSBoostClassifier(AROW(), 5, random_state=0)\n"
)
PARQUET = """\
import pandas as pd
from onlineboost import distributed

rows = pd.DataFrame({"length": range(100), "label": [0, 1] * 50})
rows.to_parquet("rows.parquet", row_group_size=25)
"""
MODEL = "from onlineboost import {name}, OSBoostClassifier\n\nmodel = OSBoostClassifier(random_state=0)\n"
MACHINE = """\
import numpy as np
from onlineboost.boosters import OSBoost
from onlineboost.machine import Machine
from onlineboost.machine.table import Table
from onlineboost.machine.rows import DenseRows

machine = Machine(OSBoost(random_state=0))
machine.learn(Table(DenseRows(np.eye(2))), np.array(["ham", "spam"]), None)
"""
WRAPPERS = ("RandomFourier", "RandomSubsets", "Scaled")


def raised(setting: str, call: str, error: str) -> str:
    """An example of an error."""
    return f"{setting}\ntry:\n    {call}\nexcept {error} as error:\n    print(error)"


EXAMPLES = {
    "onlineboost.Bank": """\
import numpy as np
from onlineboost import Bank, Learner, OSBoostClassifier


class Majority(Bank):
    def __init__(self, n_learners):
        self.n_learners = n_learners
        self.balance = np.zeros(n_learners)

    def predict(self, x):
        return np.sign(self.balance)

    def update(self, x, y, w):
        self.balance += w * y


class MajorityLearner(Learner):
    def make_bank(self, n_learners, n_features, seed):
        return Majority(n_learners)


model = OSBoostClassifier(MajorityLearner(), n_learners=3)
model.learn_one({"a": 1.0}, "ham")
print(model.predict_one({"a": 1.0}))""",
    "onlineboost.Learner": "from onlineboost import AROW, Learner\n\n"
    "print(AROW(r=0.5).get_params())\nprint(sorted(Learner.declared))  # those with a native bank",
    "onlineboost.BlackBox": ROWS.format(
        imports="from sklearn.naive_bayes import GaussianNB\n\n"
        "from onlineboost import BlackBox, OSBoostClassifier, prequential"
    )
    + "model = OSBoostClassifier(BlackBox(GaussianNB()), n_learners=3, random_state=0)\n"
    "print(prequential(model, X[:100], y[:100]))",
    "onlineboost.RegressionTree": ROWS.format(
        imports="from onlineboost import GradientBoostClassifier, RegressionTree, prequential"
    )
    + "print(prequential(GradientBoostClassifier(RegressionTree(), n_learners=10, random_state=0), X, y))",
    "onlineboost.OneVsRest": MANY_ROWS.format(imports="from onlineboost import OneVsRest, OSBoostClassifier")
    + "model = OneVsRest(OSBoostClassifier(n_learners=20, random_state=0)).fit(X, y)\nprint(model.score(X, y))",
    "onlineboost.MultiLabelClassifier": LABEL_ROWS.format(names="MultiLabelClassifier, OSBoostClassifier")
    + "model = MultiLabelClassifier(OSBoostClassifier(n_learners=20, random_state=0)).fit(X, Y)\n"
    "print(model.predict(X[:3]))\nprint(model.score(X, Y))",
    "onlineboost.MultiLabelResult": LABEL_ROWS.format(names="MultiLabelClassifier, prequential")
    + "result = prequential(MultiLabelClassifier(), X, Y)\n"
    "print(result)\nprint(result.rank_loss, result.curve(points=3))",
    "onlineboost.OnlineBoostClassifier": ROWS.format(imports="from onlineboost import OnlineBoostClassifier")
    + "model = OnlineBoostClassifier(random_state=0).fit(X, y)\n"
    "print(model.predict(X[:3]))\nprint(model.certificate().summary())",
    "onlineboost.DefensiveClassifier": ROWS.format(
        imports="from onlineboost import DefensiveClassifier, OnlineGradient"
    )
    + "model = DefensiveClassifier(OnlineGradient(), random_state=0).fit(X, y)\nprint(model.audit())",
    "onlineboost.prequential": ROWS.format(imports="from onlineboost import OSBoostClassifier, prequential")
    + 'result = prequential(OSBoostClassifier(random_state=0), X, y, metrics=["roc_auc", "f1"])\n'
    'print(result.error, result.metrics["roc_auc"])\nprint(result.to_frame())',
    "onlineboost.compare": ROWS.format(
        imports="from onlineboost import OnlineBoostClassifier, OSBoostClassifier, compare"
    )
    + "comparison = compare(OnlineBoostClassifier(random_state=0), OSBoostClassifier(random_state=0), X, y)\n"
    "print(comparison.summary())",
    "onlineboost.Comparison": ROWS.format(imports="from onlineboost import OSBoostClassifier, compare")
    + "comparison = compare(OSBoostClassifier(), OSBoostClassifier(gamma=0.3), X, y)\n"
    "print(comparison.better, comparison.lower[-1], comparison.upper[-1])",
    "onlineboost.ConfidenceSequence": "import numpy as np\n"
    "from onlineboost import ConfidenceSequence\n\nsequence = ConfidenceSequence(alpha=0.05)\n"
    "mean, lower, upper = sequence.add(np.random.default_rng(0).uniform(-0.5, 0.7, 1000))\n"
    "print(lower[-1], upper[-1])",
    "onlineboost.Explanation": ROWS.format(imports="from onlineboost import OSBoostClassifier")
    + "model = OSBoostClassifier(random_state=0).fit(X, y)\nexplanation = model.explain(X[0])\n"
    "print(explanation)\nprint(explanation.base + explanation.contributions.sum(), model.margin(X[:1]))",
    "onlineboost.FamilyVote": ROWS.format(imports="from onlineboost import OnlineBoostClassifier")
    + "model = OnlineBoostClassifier(random_state=0).fit(X, y)\nprint(model.explain(X[0]).families[0])",
    "onlineboost.StreamResult": "from onlineboost import NaiveBayes, OSBoostClassifier, prequential\n\n"
    'stream = (({"free": k % 2, "noon": 1 - k % 2}, "spam" if k % 2 else "ham") for k in range(500))\n'
    "result = prequential(OSBoostClassifier(NaiveBayes(), random_state=0), stream, delay=10)\n"
    'print(result, result.metrics["kappa_temporal"])',
    "onlineboost.StronglyAdaptiveSets": ROWS.format(
        imports="from onlineboost import OSBoostClassifier, StronglyAdaptiveSets"
    )
    + "sets = StronglyAdaptiveSets(OSBoostClassifier(random_state=0), alpha=0.1).partial_fit(X, y)\n"
    "print(sets.predict_set(X[:3]))\nprint(sets.guarantee().summary())",
    "onlineboost.bootstrap": ROWS.format(imports="from onlineboost import OSBoostClassifier, bootstrap")
    + "errors = bootstrap(OSBoostClassifier(random_state=0), X, y, copies=5)\nprint(errors.mean(), errors.std())",
    "onlineboost.progress": ROWS.format(imports="from onlineboost import OSBoostClassifier, progress")
    + "with progress():\n    model = OSBoostClassifier(random_state=0).fit(X, y)\nprint(model.n_examples_)",
    "onlineboost.Metrics": ROWS.format(imports="from onlineboost import Metrics, OSBoostClassifier")
    + "model = OSBoostClassifier(random_state=0).fit(X[:400], y[:400])\n"
    "metrics = Metrics(window=50)\n"
    "metrics.update(y[400:], model.predict(X[400:]), model.predict_proba(X[400:]), model.classes_)\n"
    'print(metrics["roc_auc"], metrics["f1"], metrics.recent("error"))\nprint(metrics)',
    "onlineboost.PrequentialResult": ROWS.format(imports="from onlineboost import OSBoostClassifier, prequential")
    + "result = prequential(OSBoostClassifier(random_state=0), X, y)\n"
    "examples, errors = result.curve(points=5)\nprint(examples, errors, result.calibration_error())",
    "onlineboost.MulticlassPrequentialResult": MANY_ROWS.format(
        imports="from onlineboost import OneVsRest, prequential"
    )
    + "result = prequential(OneVsRest(), X, y)\nprint(result.classes, result.error)",
    "onlineboost.load": MODEL.format(name="load")
    + 'model.learn_one({"free": 1}, "spam")\nmodel.save("model.ob")\nprint(load("model.ob").n_examples_)',
    "onlineboost.from_bytes": MODEL.format(name="from_bytes")
    + 'model.learn_one({"free": 1}, "spam")\nprint(from_bytes(model.to_bytes()).n_examples_)',
    "onlineboost.ModelFileError": raised(
        "from onlineboost import ModelFileError, from_bytes\n", 'from_bytes(b"no model")', "ModelFileError"
    ),
    "onlineboost.estimators.OnlineEstimator": "from onlineboost import OSBoostClassifier\n"
    "from onlineboost.estimators import OnlineEstimator\n\nprint(issubclass(OSBoostClassifier, OnlineEstimator))",
    "onlineboost.estimators.as_estimator": "from onlineboost.boosters import OSBoost\n"
    "from onlineboost.estimators import as_estimator\n\nprint(as_estimator(OSBoost(gamma=0.2)))",
    "onlineboost.distributed.ArrayShard": SHARDS + "print(len(ArrayShard(X, y)))",
    "onlineboost.distributed.ParquetShard": PARQUET
    + 'print(distributed.parquet_shards("rows.parquet", "label", 2)[0])',
    "onlineboost.distributed.ShardError": SHARDS
    + "X[3, 0] = 1e200\ntry:\n    train_shards(model, array_shards(X, y, 2), n_jobs=1)\n"
    "except ShardError as error:\n    print(error)",
    "onlineboost.distributed.array_shards": SHARDS + "print([len(one) for one in array_shards(X, y, 3)])",
    "onlineboost.distributed.engine": "from onlineboost.distributed import engine\n\n"
    'with engine("local"):\n    print("joblib runs here what is started here")',
    "onlineboost.distributed.learn_shard": SHARDS
    + "learned = learn_shard(model.to_bytes(), ArrayShard(X, y), 0, 100)\nprint(len(learned))",
    "onlineboost.distributed.parquet_shards": PARQUET
    + 'print(len(distributed.parquet_shards("rows.parquet", "label", 2)))',
    "onlineboost.distributed.train_shards": SHARDS
    + "print(train_shards(model, array_shards(X, y, 4), every=50, n_jobs=1).score(X, y))",
    "onlineboost.distributed.Workers": "from onlineboost.distributed import Workers, workers_of\n\n"
    'print(isinstance(workers_of("local"), Workers))',
    "onlineboost.distributed.workers_of": SHARDS.replace("train_shards", "train_shards, workers_of", 1)
    + 'with workers_of("local", n_jobs=1) as workers:\n'
    "    print(train_shards(model, array_shards(X, y, 2), engine=workers).score(X, y))",
    "onlineboost.KeyedClassifier": 'from onlineboost import KeyedClassifier\n\nmodel = KeyedClassifier(key="shop")\n'
    'model.learn_one({"shop": "north", "price": 3.0}, "sold")\n'
    'model.learn_one({"shop": "south", "price": 9.0}, "left")\n'
    'print(model.predict_proba_one({"shop": "north", "price": 9.0}))',
    "onlineboost.merge": ROWS.format(imports="from onlineboost import AROW, OSBoostClassifier, merge")
    + "shards = [OSBoostClassifier(AROW(), 10, random_state=0).fit(X[k::2], y[k::2]) for k in range(2)]\n"
    "model = merge(shards)\nprint(model.n_examples_, model.score(X, y))",
    "onlineboost.CannotMergeError": "from onlineboost import CannotMergeError, merge\n"
    + ROWS.format(imports="from onlineboost import HoeffdingTree, OSBoostClassifier")
    + "trees = OSBoostClassifier(HoeffdingTree(), 5, random_state=0).fit(X, y)\n"
    "try:\n    merge([trees, trees])\nexcept CannotMergeError as error:\n    print(error)",
    "onlineboost.merging.merge_machines": MACHINE
    + "from onlineboost.merging import merge_machines\n\nprint(merge_machines([machine, machine]).n_examples)",
    "onlineboost.persistence.load_machine": MACHINE
    + 'from onlineboost.persistence import load_machine, save\n\nsave(machine, "model.ob")\n'
    'machine, recipe, extra = load_machine("model.ob")\nprint(machine.n_examples, recipe)',
    "onlineboost.persistence.load_with_extra": "from onlineboost import OSBoostClassifier\n"
    "from onlineboost.persistence import load_with_extra\n\n"
    'OSBoostClassifier().save("model.ob", extra={"threshold": 0.7})\n'
    'model, extra = load_with_extra("model.ob")\nprint(extra)',
    "onlineboost.persistence.save": MACHINE
    + 'from onlineboost.persistence import load_machine, save\n\nsave(machine, "model.ob", extra=[1, 2])\n'
    'print(load_machine("model.ob")[2])',
    "onlineboost.persistence.to_bytes": MACHINE
    + "from onlineboost.persistence import to_bytes\n\nprint(len(to_bytes(machine)))",
    "onlineboost.machine": MACHINE + "print(machine.opinion(Table(DenseRows(np.eye(2)))).probabilities)",
    "onlineboost.theory.Certificate": CERTIFIED
    + "certificate = model.certificate()\nprint(certificate.summary())\nprint(certificate.certified_error[:3])",
    "onlineboost.theory.SetGuarantee": CERTIFIED
    + "print(model.predict_set(X[:3], alpha=0.1))\nprint(model.set_guarantee(alpha=0.1).summary())",
    "onlineboost.theory.AdaptiveSetGuarantee": ROWS.format(
        imports="from onlineboost import OSBoostClassifier, StronglyAdaptiveSets"
    )
    + "sets = StronglyAdaptiveSets(OSBoostClassifier(random_state=0)).partial_fit(X, y)\n"
    "print(sets.guarantee().slack, sets.guarantee().regret_bound(100))",
    "onlineboost.theory.Constants": "from onlineboost import theory\n\nprint(theory.constants(0.1).gamma_hat)",
    "onlineboost.theory.constants": "from onlineboost import theory\n\nprint(theory.constants(gamma=0.1))",
    "onlineboost.theory.Plan": "from onlineboost import theory\n\nprint(theory.plan(0.2, 0.1).n_learners)",
    "onlineboost.theory.plan": "from onlineboost import theory\n\nprint(theory.plan(gamma=0.1, delta=0.1).summary())",
    "onlineboost.theory.GammaSuggestion": CERTIFIED + "print(theory.suggest_gamma(model).gamma)",
    "onlineboost.theory.majority_bound": "from onlineboost import theory\n\nprint(theory.majority_bound(100, 0.7, 50))",
    "onlineboost.theory.family_risk": "from sklearn.datasets import make_moons\n"
    "from onlineboost import OnlineBoostClassifier, theory\n\n"
    "X, y = make_moons(500, noise=0.3, random_state=0)\n"
    "print(theory.family_risk(OnlineBoostClassifier(random_state=0).fit(X, y)))",
    "onlineboost.theory.risk_bound": "from onlineboost import theory\n\nprint(theory.risk_bound(80, 1000))",
    "onlineboost.theory.risk_band": "from onlineboost import theory\n\nprint(theory.risk_band([8, 80], [100, 1000]))",
    "onlineboost.theory.suggest_gamma": CERTIFIED + "print(theory.suggest_gamma(model, delta=0.2))",
    "onlineboost.theory.WeakLearnerCheck": ROWS.format(imports="from onlineboost import NaiveBayes, theory")
    + "print(theory.check_weak_learner(NaiveBayes(), X, y).useful)",
    "onlineboost.theory.check_weak_learner": ROWS.format(imports="from onlineboost import NaiveBayes, theory")
    + "print(theory.check_weak_learner(NaiveBayes(), X, y, gamma=0.1))",
    "onlineboost.theory.Windows": ROWS.format(imports="from onlineboost import OSBoostClassifier, theory")
    + "model = OSBoostClassifier(random_state=0)\nwindows = theory.Windows(model, size=200)\n"
    "for start in range(0, 500, 50):\n    model.partial_fit(X[start : start + 50], y[start : start + 50])\n"
    "    windows.keep()\nprint(windows.certificate().n_examples)",
    "onlineboost.theory.Recording": RECORDED + "print(recording.h.shape, recording.y[:5])",
    "onlineboost.theory.record": RECORDED + "print(recording.h.mean(axis=0))",
    "onlineboost.theory.FixedVote": RECORDED
    + "best = theory.best_fixed_vote(recording.h, recording.y, theta=0.05)\nprint(best.alpha, best.loss)",
    "onlineboost.theory.best_fixed_vote": RECORDED
    + "print(theory.best_fixed_vote(recording.h, recording.y, theta=0.05).loss)",
    "onlineboost.theory.hinge_loss": RECORDED
    + "print(theory.hinge_loss([0.1] * 10, recording.h, recording.y, theta=0.05))",
    "onlineboost.theory.eg_bound": "from onlineboost import theory\n\nprint(theory.eg_bound(1000, n_learners=100))",
    "onlineboost.theory.ocp_bound": "from onlineboost import theory\n\nprint(theory.ocp_bound(1000, n_learners=100))",
    "onlineboost.theory.expert_bound": "from onlineboost import theory\n\n"
    'print(theory.expert_bound(1000, 100, "anytime", best_loss=50))',
    "onlineboost.theory.SmoothBoostClassifier": ROWS.format(
        imports="from sklearn.tree import DecisionTreeClassifier\n\nfrom onlineboost import theory"
    )
    + "weak = DecisionTreeClassifier(max_depth=6)\n"
    "model = theory.SmoothBoostClassifier(weak, gamma=0.1, kappa=0.2).fit(X, y)\nprint(model.guarantee_.summary())",
    "onlineboost.theory.smoothboost": "from onlineboost.theory import smoothboost\n\n"
    "print(smoothboost.stage_bound(gamma=0.1, kappa=0.1))",
    "onlineboost.theory.synthetic": "from onlineboost import OSBoostClassifier, prequential\n"
    "from onlineboost.theory import synthetic\n\n"
    'X, y = synthetic.reluctant_stream("coins", 500, 20, gamma=0.25, random_state=0)\n'
    "model = OSBoostClassifier(synthetic.ReluctantLearner(0.25), 20, gamma=0.25, random_state=0)\n"
    "print(prequential(model, X, y))",
    "onlineboost.streams.FORMATS": "from onlineboost import streams\n\nprint(streams.FORMATS)",
    "onlineboost.streams.guess_format": 'from onlineboost import streams\n\nprint(streams.guess_format("log.csv.gz"))',
    "onlineboost.streams.Batch": FILE
    + 'for batch in streams.open_stream("mail.csv"):\n    print(batch.X.toarray(), batch.y, batch.names)',
    "onlineboost.streams.Feed": FILE
    + "from onlineboost import OSBoostClassifier\n\nmodel = OSBoostClassifier(n_learners=10, random_state=0)\n"
    "feed = streams.Feed(model)\n"
    'for batch in streams.open_stream("mail.csv"):\n    feed.learn(batch)\nprint(model.classes_, model.n_examples_)',
    "onlineboost.streams.Position": FILE
    + 'stream = streams.open_stream("mail.csv", batch_rows=1)\nfirst = next(stream)\n'
    'rest = streams.open_stream("mail.csv", start=first.position, schema=stream.schema)\n'
    "print([batch.y for batch in rest])",
    "onlineboost.streams.Problem": FILE + 'with open("mail.csv", "a") as file:\n    print("one cell", file=file)\n'
    'stream = streams.open_stream("mail.csv")\nprint(sum(len(batch) for batch in stream), list(stream.problems))',
    "onlineboost.streams.Schema": FILE
    + 'stream = streams.open_stream("mail.csv", schema=streams.Schema(columns={"words": "text:18"}))\n'
    "print([batch.names for batch in stream], stream.schema.columns)",
    "onlineboost.streams.Source": FILE + 'source = streams.open_source("mail.csv")\nprint(source.name)\nsource.close()',
    "onlineboost.streams.open_source": FILE
    + 'stream = streams.open_stream(streams.open_source("mail.csv"), format="csv")\n'
    "print([len(batch) for batch in stream])",
    "onlineboost.streams.Stream": FILE
    + 'stream = streams.open_stream("mail.csv")\nfor batch in stream:\n    print(len(batch), stream.position)',
    "onlineboost.streams.open_stream": FILE
    + 'for batch in streams.open_stream("mail.csv", batch_rows=1):\n    print(batch.y, batch.position)',
    "onlineboost.streams.StreamError": raised(
        "from onlineboost import streams\n", 'streams.open_stream("nowhere.csv")', "streams.StreamError"
    ),
    "onlineboost.streams.SourceError": raised(
        "from onlineboost import streams\n", 'streams.open_stream("nowhere.csv")', "streams.SourceError"
    ),
    "onlineboost.streams.FormatError": raised(
        "from onlineboost import streams\n", 'streams.guess_format("mail.docx")', "streams.FormatError"
    ),
    "onlineboost.streams.MalformedLineError": raised(
        FILE + 'with open("mail.csv", "a") as file:\n    print("one cell", file=file)\n',
        'list(streams.open_stream("mail.csv", strict=True))',
        "streams.MalformedLineError",
    ),
    "onlineboost.streams.CompressionError": raised(
        FILE + 'Path("cut.csv.gz").write_bytes(b"\\x1f\\x8b\\x08\\x00")',
        'list(streams.open_stream("cut.csv.gz"))',
        "streams.CompressionError",
    ),
    "onlineboost.datasets.MissingExtraError": "from onlineboost import datasets\n\n"
    "print(issubclass(datasets.MissingExtraError, ImportError))  # names the extra to install",
    "onlineboost.streams.MissingExtraError": "from onlineboost import streams\n\n"
    "print(issubclass(streams.MissingExtraError, ImportError))  # names the extra to install",
    "onlineboost.datasets.LIBSVM_URL": "from onlineboost import datasets\n\nprint(datasets.LIBSVM_URL)",
    "onlineboost.datasets.names": "from onlineboost import datasets\n\nprint(datasets.names())",
    "onlineboost.datasets.info": 'from onlineboost import datasets\n\nprint(datasets.info("adult").source)',
    "onlineboost.datasets.DatasetInfo": "from onlineboost import datasets\n\n"
    'print(datasets.info("heart").features, datasets.info("heart").labels)',
    "onlineboost.datasets.DataFile": 'from onlineboost import datasets\n\nprint(datasets.info("adult").files[0].name)',
    "onlineboost.datasets.EmbeddedCopy": 'from onlineboost import datasets\n\nprint(datasets.info("splice").embedded)',
    "onlineboost.datasets.load": 'from onlineboost import datasets\n\nprint(datasets.load("diabetes").X.shape)',
    "onlineboost.datasets.Dataset": "from onlineboost import datasets\n\n"
    'german = datasets.load("german")\nprint(german.X.shape, german.y[:5], german.notes, german.complete)',
    "onlineboost.datasets.load_file": "from pathlib import Path\n\nfrom onlineboost import datasets\n\n"
    'Path("a.csv").write_text("x,clicked\\n1.5,0\\n2.5,1\\n")\n'
    'print(datasets.load_file("a.csv", label="clicked").labels)',
    "onlineboost.datasets.status": "from onlineboost import datasets\n\n"
    "print([one.name for one in datasets.status() if one.available == one.examples])",
    "onlineboost.datasets.DatasetStatus": "from onlineboost import datasets\n\nprint(datasets.status()[0].where)",
    "onlineboost.datasets.fetch": "from onlineboost import datasets\n\n"
    'print(datasets.fetch.__doc__)  # datasets.fetch("adult") downloads what is missing',
    "onlineboost.datasets.UnknownDatasetError": raised(
        "from onlineboost import datasets\n", 'datasets.info("adlut")', "datasets.UnknownDatasetError"
    ),
    "onlineboost.datasets.DatasetError": raised(
        "from onlineboost import datasets\n", 'datasets.info("adlut")', "datasets.DatasetError"
    ),
    "onlineboost.datasets.DatasetFormatError": raised(
        "from pathlib import Path\n\nfrom onlineboost import datasets\n\n"
        'Path("a.csv").write_text("x,y\\n1,0\\nz,1\\n")',
        'datasets.load_file("a.csv")',
        "datasets.DatasetFormatError",
    ),
    "onlineboost.datasets.DatasetNotFoundError": raised(
        "from onlineboost import datasets\n", 'datasets.load("adult", data=".")', "datasets.DatasetNotFoundError"
    ),
}


def example(module: str, name: str) -> str:
    """A short program that shows the name at work."""
    full = f"{module}.{name}"
    if full in EXAMPLES:
        return EXAMPLES[full]
    value = getattr(import_module(module), name)
    if isinstance(value, type) and issubclass(value, Exception):
        base = value.__mro__[1].__name__
        room = module.rpartition(".")[2]
        return f"from onlineboost import {room}\n\nprint(issubclass({room}.{name}, {room}.{base}))"
    if hasattr(value, "booster_type"):
        if value.booster_type.label_sets:
            return LABEL_ROWS.format(names=f"{name}, prequential") + (
                f"print(prequential({name}(n_learners=10, random_state=0), X, Y))"
            )
        rows = MANY_ROWS if value.booster_type.many_classes else ROWS
        return rows.format(imports=f"from onlineboost import {name}, prequential") + (
            f"model = {name}(random_state=0)\nprint(prequential(model, X, y))\nprint(model.predict_proba(X[:2]))"
        )
    inner = "AROW()" if name in WRAPPERS else ""
    names = sorted({name, "OSBoostClassifier", "prequential", *(["AROW"] if inner else [])})
    return ROWS.format(imports=f"from onlineboost import {', '.join(names)}") + (
        f"model = OSBoostClassifier({name}({inner}), n_learners=10, random_state=0)\nprint(prequential(model, X, y))"
    )
