"""The variants of every booster and weak learner that the parity tests compare."""

import itertools

from onlineboost import (
    AdaBoostOLClassifier,
    BBMClassifier,
    DefensiveClassifier,
    HoeffdingTree,
    NaiveBayes,
    OGBoostClassifier,
    OnlineClassifier,
    OnlineGradient,
    OSBoostClassifier,
    OzaBoostClassifier,
    Perceptron,
)

VFDT = {"rule": "hoeffding", "criterion": "gain", "max_features": None, "resample": None}
PLAIN_LEARNERS = {
    "perceptron": Perceptron(),
    "naive_bayes": NaiveBayes(),
    "online_gradient": OnlineGradient(),
    "tree": HoeffdingTree(grace_period=10, delta=0.1, bins=6),
}
LEARNERS = {
    **{
        f"perceptron-{init}-{intercept:d}{unit_norm:d}": Perceptron(intercept=intercept, unit_norm=unit_norm, init=init)
        for init, intercept, unit_norm in itertools.product(["random", "zero"], [True, False], [True, False])
    },
    **{f"naive_bayes-{kind}": NaiveBayes(kind=kind, variance_floor=1e-4) for kind in ("auto", "bernoulli", "gaussian")},
    "naive_bayes-auto-00": NaiveBayes(intercept=False, unit_norm=False, variance_floor=1e-3),
    "naive_bayes-gaussian-01": NaiveBayes(kind="gaussian", intercept=False, variance_floor=1e-2),
    "naive_bayes-gaussian-10": NaiveBayes(kind="gaussian", unit_norm=False, variance_floor=1e-3),
    "naive_bayes-paper-gaussian": NaiveBayes(kind="gaussian", estimates="paper", variance_floor=1e-4),
    "naive_bayes-paper-bernoulli": NaiveBayes(kind="bernoulli", estimates="paper", alpha=1e-3),
    "naive_bayes-laplace": NaiveBayes(kind="bernoulli", alpha=1.0),
    **{
        f"online_gradient-{intercept:d}{unit_norm:d}": OnlineGradient(intercept=intercept, unit_norm=unit_norm)
        for intercept, unit_norm in itertools.product([True, False], [True, False])
    },
    **{
        f"tree-{leaf}": HoeffdingTree(leaf=leaf, **VFDT, grace_period=5, delta=0.1, tie_threshold=0.3, max_leaves=9)
        for leaf in ("majority", "naive_bayes", "adaptive")
    },
    "tree-gini": HoeffdingTree(rule="hoeffding", resample=None, grace_period=3, delta=0.3, tie_threshold=0.4, bins=3),
    "tree-evidence": HoeffdingTree(criterion="gain", grace_period=5, delta=0.2),
    "tree-evidence-gini": HoeffdingTree(resample=1.0, grace_period=5, delta=0.3, bins=4),
    "tree-random": HoeffdingTree(
        rule="hoeffding", max_features="sqrt", subset="tree", grace_period=20, tie_threshold=0.3, max_depth=3
    ),
    "tree-stump": HoeffdingTree(max_depth=1, leaf="majority", **VFDT, grace_period=5, tie_threshold=0.6),
}
PLAIN_BOOSTERS = {
    "single": OnlineClassifier(None),
    "osboost": OSBoostClassifier(None),
    "osboost-ocp": OSBoostClassifier(None, vote="ocp"),
    "osboost-eg": OSBoostClassifier(None, vote="eg"),
    "osboost-experts": OSBoostClassifier(None, vote="experts"),
    "ozaboost": OzaBoostClassifier(None),
    "ogboost": OGBoostClassifier(None),
    "ogboost-3": OGBoostClassifier(None, n_candidates=3),
    "bbm": BBMClassifier(None),
    "bbm-real": BBMClassifier(None, output="real"),
    "adaboost-ol-w": AdaBoostOLClassifier(None),
    "adaboost-ol-sign": AdaBoostOLClassifier(None, output="sign"),
    "defensive": DefensiveClassifier(None),
}
FOLLOWED = {
    "eg": OSBoostClassifier(None, vote="eg"),
    "eg-scaled": OSBoostClassifier(None, vote="eg", gamma=0.37, margin_scale=2.5, fading=3.0),
    "bbm-sign": BBMClassifier(None),
    "bbm-real": BBMClassifier(None, output="real", edge=0.02),
    "bbm-strong": BBMClassifier(None, edge=0.45),
    "bbm-absolute": BBMClassifier(None, weights="absolute", output="real"),
    **{
        f"adaboost-ol-{update}-{output}-{rate}-{mode}": AdaBoostOLClassifier(
            None, update=update, output=output, expert_rate=rate, expert_mode=mode
        )
        for update, output, rate, mode in [
            ("weight", "sign", "paper", "vote"),
            ("sample", "sign", "adahedge", "sample"),
            ("weight", "real", "anytime", "expected"),
            ("sample", "real", 0.3, "vote"),
        ]
    },
    "defensive": DefensiveClassifier(None),
}
BOOSTERS = {
    "single": OnlineClassifier(None),
    "osboost": OSBoostClassifier(None),
    "osboost-gamma": OSBoostClassifier(None, gamma=0.5, theta=0.0),
    "osboost-scaled": OSBoostClassifier(None, margin_scale=8.0, fading=10.0),
    "ocp-scaled": OSBoostClassifier(None, vote="ocp", margin_scale=0.3, fading=1.0),
    "experts-scaled": OSBoostClassifier(None, vote="experts", margin_scale=2.5),
    **{
        f"ocp-{projection}-{schedule}-{eta0}": OSBoostClassifier(
            None, vote="ocp", projection=projection, schedule=schedule, eta0=eta0
        )
        for projection, schedule, eta0 in itertools.product(
            ["newton", "sort", "pivot"], ["sqrt", "adaptive"], [1.0, "theory"]
        )
    },
    **{
        f"experts-{rate}-{mode}": OSBoostClassifier(None, vote="experts", expert_rate=rate, expert_mode=mode)
        for rate, mode in itertools.product(["adahedge", "anytime", "paper", 0.3], ["vote", "sample", "expected"])
    },
    **{
        f"oza-{update}-{evaluate}-{denominator}": OzaBoostClassifier(
            None, update=update, evaluate=evaluate, denominator=denominator
        )
        for update, evaluate, denominator in itertools.product(
            ["poisson", "weight"], ["after", "before"], ["weights", "count"]
        )
    },
    **{
        f"og-{K}-{loss}-{evaluate}": OGBoostClassifier(None, n_candidates=K, loss=loss, evaluate=evaluate)
        for K, loss, evaluate in itertools.product([1, 3], ["logit", "exp", "doom2", "savage"], ["after", "before"])
    },
    "og-shrinkage": OGBoostClassifier(None, shrinkage=0.3),
    "og-forgetting": OGBoostClassifier(None, n_candidates=3, forgetting=0.9),
    "og-smallest": OGBoostClassifier(None, n_candidates=2, smallest_weight=0.2),
    "og-both": OGBoostClassifier(None, n_candidates=2, loss="exp", shrinkage=0.5, forgetting=0.99),
    **FOLLOWED,
}
