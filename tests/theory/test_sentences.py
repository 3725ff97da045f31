"""Every sentence that the product prints is declared, with a proof that can be read and a check that runs."""

import inspect
import math
import pkgutil
import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import onlineboost
from onlineboost import (
    NaiveBayes,
    OnlineBoostClassifier,
    OnlineClassifier,
    OSBoostClassifier,
    Perceptron,
    StronglyAdaptiveSets,
    theory,
)
from onlineboost.theory import runs, sentences, smoothboost, synthetic

pytestmark = pytest.mark.quick

DOCS = Path(__file__).resolve().parents[2] / "docs"
ROOM = 1e-9


def anchor(heading):
    """GitHub's anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def stream(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0, 1, -1)


def planned(gamma, delta, seed=0, **chosen):
    """A plan, and a run of it whose learners keep the assumption by construction."""
    p = theory.plan(gamma, delta, **chosen)
    X, y = synthetic.reluctant_stream("always", p.n_examples, p.n_learners, gamma=gamma, random_state=seed)
    learner = synthetic.ReluctantLearner(gamma)
    rates = {"expert_rate": p.expert_rate, "expert_mode": p.expert_mode} if p.vote == "experts" else {}
    model = OSBoostClassifier(learner, p.n_learners, gamma=gamma, vote=p.vote, eta0="theory", random_state=0, **rates)
    return p, runs.follow(model, X, y)


def adaptive(run, alpha=0.1):
    """The guarantee of strongly adaptive sets over the probabilities of a run."""
    sets = StronglyAdaptiveSets(None, alpha)
    sets.learn_scores(1 - np.where(run.y > 0, run.plus, 1 - run.plus))
    return sets.guarantee()


def objects():
    """What prints, in several states, each with its run."""
    X, y = stream()
    for options in (
        {},
        {"vote": "ocp"},
        {"vote": "eg"},
        {"vote": "experts"},
        {"vote": "experts", "expert_rate": "paper"},
        {"vote": "experts", "expert_rate": "share"},
        {"gamma": 0.5},
        {"n_learners": 1},
    ):
        model = OSBoostClassifier(NaiveBayes(), **({"n_learners": 30, "random_state": 0} | options))
        run = runs.follow(model, X, y)
        c = model.certificate()
        yield c, run
        yield theory.SetGuarantee.of(model.machine, 0.1), run
        yield adaptive(run), run
        yield theory.suggest_gamma(c), run
        yield theory.WeakLearnerCheck(useful=True, suggestion=theory.suggest_gamma(c), certificate=c), run
    families = [("one", OnlineClassifier(Perceptron())), ("two", OSBoostClassifier(NaiveBayes(), 3))]
    mixture = OnlineBoostClassifier(families, random_state=0)
    run = runs.follow(mixture, X, y)
    yield mixture.certificate(), run
    for vote in ("uniform", "ocp", "eg", "experts"):
        yield planned(0.5, 0.4, vote=vote)
    batch = smoothboost.SmoothBoostClassifier(
        DecisionTreeClassifier(max_depth=3), gamma=0.1, kappa=0.3, max_learners=60
    )
    with np.errstate(all="ignore"):
        batch.fit(X, y)
    yield batch.guarantee_, smoothboost.run_of(batch, X, y)


OBJECTS = list(objects())


def printing_classes():
    """Every class of the package with a summary, or with reasons."""
    for module in pkgutil.walk_packages(onlineboost.__path__, "onlineboost."):
        if re.search(
            r"__main__|_core|\.(cli|experiments|machine|evaluation|spark)", module.name
        ):  # they print measurements
            continue
        for name, found in inspect.getmembers(import_module(module.name), inspect.isclass):
            if found.__module__ == module.name and ({"summary", "reasons"} & set(vars(found))):
                yield name


def test_every_class_that_prints_has_sentences():
    tried = {type(about).__name__ for about, _ in OBJECTS}
    for name in printing_classes():
        assert sentences.declared(name), f"{name} prints a summary: declare its sentences (CONTRIBUTING.md)"
        assert name in tried, f"add an object of {name} to this test"


def test_a_summary_is_made_of_declared_sentences():
    for about, _ in OBJECTS:
        words = [said for _, said in sentences.told(about)]
        shown = about.summary() if hasattr(about, "summary") else str(about)
        for part in words:
            assert part in shown
        suggestion = str(about.suggestion) if hasattr(about, "suggestion") else ""
        left = shown.replace(suggestion, "")
        for part in words:
            left = left.replace(part, "", 1)
        assert not left.strip(), f"printed, and not declared: {left}"


@pytest.mark.parametrize("sentence", sentences.declared(), ids=lambda one: one.name)
def test_has_a_statement_a_proof_and_a_check_that_holds(sentence):
    assert sentence.statement
    assert sentence.assumes
    page, _, heading = sentence.proof.partition("#")
    headings = [line.lstrip("#") for line in (DOCS / page).read_text(encoding="utf8").splitlines() if line[:1] == "#"]
    assert heading in map(anchor, headings), sentence.proof
    found = [sentence.check(about, run) for about, run in OBJECTS if type(about).__name__ == sentence.of]
    if sentence.words is not None:
        assert found
        assert not any(math.isnan(value) for value in found)
        assert max(found) <= ROOM
        assert sentence.chance > 0 or max(found) > -math.inf, "no run says anything about it"


def test_names_are_unique():
    with pytest.raises(ValueError, match="unique"):
        sentences.declare(sentences.declared()[0])
