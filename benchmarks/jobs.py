"""Who runs what: a job is a system in one configuration on one stream."""

from __future__ import annotations

from dataclasses import dataclass, replace

SCRIPTS = {
    "ours": "ours.py",
    "vw": "vw.py",
    "capymoa": "capymoa_peer.py",
    "river": "river_peer.py",
    "sklearn": "sklearn_peer.py",
    "batch": "batch_peer.py",
}


@dataclass(frozen=True)
class Job:
    """One row of the table.

    `against` names the job of ours that it is compared with, on as many rows; `limit` is how many a slow peer gets;
    `one_core` holds all threads of the process to one.
    """

    name: str
    peer: str
    stream: str
    options: tuple[str, ...] = ()
    against: str | None = None
    limit: int | None = None
    one_core: bool = True

    @property
    def script(self) -> str:
        """The file that runs it."""
        return SCRIPTS[self.peer]

    @property
    def command(self) -> tuple[str, ...]:
        """The options for the script."""
        return self.options if self.limit is None else (*self.options, "--limit", str(self.limit))


def _ours(name: str, stream: str, *options: str) -> Job:
    return Job(name, "ours", stream, options)


def _oza(base: str, booster: str = "OzaBoost") -> tuple[str, ...]:
    return ("--booster", booster, "--base", base)


PERCEPTRON, BAYES, VFDT = "100 perceptrons", "100 naive bayes", "100 hoeffding trees as MOA's"

# In the order of the table: what is ours, then what it is compared with.
JOBS = (
    _ours(PERCEPTRON, "adult"),
    Job("vw bbm", "vw", "adult", against=PERCEPTRON),
    Job("vw bbm sgd", "vw", "adult", ("--sgd",), PERCEPTRON),
    Job("capymoa perceptron", "capymoa", "adult", _oza("perceptron", "OnlineSmoothBoost"), PERCEPTRON),
    Job(
        "capymoa perceptron, all cores",
        "capymoa",
        "adult",
        _oza("perceptron", "OnlineSmoothBoost"),
        PERCEPTRON,
        one_core=False,
    ),
    Job("river perceptron", "river", "adult", _oza("perceptron", "AdaBoostClassifier"), PERCEPTRON, 5_000),
    Job("river adwin perceptron", "river", "adult", _oza("perceptron", "ADWINBoostingClassifier"), PERCEPTRON, 2_500),
    _ours(BAYES, "adult", "--learner", "naive-bayes"),
    Job("capymoa bayes", "capymoa", "adult", _oza("naive-bayes", "OnlineSmoothBoost"), BAYES, 20_000),
    Job("river bayes", "river", "adult", _oza("naive-bayes", "AdaBoostClassifier"), BAYES, 300),
    _ours(VFDT, "adult", "--learner", "vfdt"),
    Job("capymoa trees", "capymoa", "adult", _oza("hoeffding-tree", "OnlineSmoothBoost"), VFDT, 20_000),
    _ours("100 hoeffding trees", "adult", "--learner", "hoeffding-tree"),
    _ours("ozaboost", "adult", "--booster", "OzaBoost"),
    Job("capymoa ozaboost", "capymoa", "adult", _oza("perceptron"), "ozaboost"),
    _ours("ogboost", "adult", "--booster", "OGBoost"),
    _ours("ocp", "adult", "--booster", "OSBoost.OCP"),
    _ours("eg", "adult", "--booster", "OSBoost.EG"),
    _ours("experts", "adult", "--booster", "OSBoost.EXP"),
    _ours("bbm", "adult", "--booster", "BBM"),
    _ours("adaboost.ol", "adult", "--booster", "AdaBoost.OL"),
    _ours("adaboost.ol.w", "adult", "--booster", "AdaBoost.OL.W"),
    _ours("defensive", "adult", "--booster", "Defensive"),
    _ours("1000 perceptrons", "adult", "--learners", "1000"),
    _ours("covertype", "covertype"),
    Job("vw covertype", "vw", "covertype", against="covertype"),
)

# Single learners, which do a hundredth of the work: for orientation.
SINGLES = (
    _ours("single perceptron", "adult", "--booster", "one"),
    _ours("single naive bayes", "adult", "--booster", "one", "--learner", "naive-bayes"),
    Job("vw single", "vw", "adult", ("--learners", "0")),
    Job("river single perceptron", "river", "adult", _oza("perceptron", "none")),
    Job("river single logistic", "river", "adult", _oza("logistic-regression", "none")),
    *(
        Job(f"sklearn {model} {batch}", "sklearn", "adult", ("--model", model, "--batch", batch), limit=limit)
        for model in ("SGD", "perceptron", "naive-bayes")
        for batch, limit in (("256", None), ("1", 3_000))
    ),
)


def chosen(only: list[str] | None, quick: bool) -> tuple[list[Job], list[Job]]:
    """The jobs and the single learners to run: all, or those of the peers named in `only`; fewer rows if `quick`."""
    peers = {"ours", *(only or SCRIPTS)}

    def of(jobs: tuple[Job, ...]) -> list[Job]:
        rows = 2_000 if quick else None
        return [_cut(job, rows) for job in jobs if job.peer in peers]

    return of(JOBS), of(SINGLES)


def _cut(job: Job, rows: int | None) -> Job:
    limit = rows if job.limit is None else min(job.limit, rows or job.limit)
    return replace(job, limit=limit)


def partners(jobs: list[Job]) -> list[Job]:
    """What is ours on as many rows as a slow peer got, so that the two can be compared."""
    ours = {job.name: job for job in jobs if job.peer == "ours"}
    wanted: dict[str, Job] = {}
    for job in jobs:
        if job.against is not None and job.limit != ours[job.against].limit:
            mine = ours[job.against]
            name = partner_of(job, jobs)
            wanted[name] = Job(name, "ours", mine.stream, mine.options, limit=job.limit)
    return list(wanted.values())


def partner_of(job: Job, jobs: list[Job]) -> str:
    """The name of the job of ours that ran on the rows of a peer's job."""
    mine = next(other for other in jobs if other.name == job.against)
    return mine.name if mine.limit == job.limit else f"{mine.name} on {job.limit}"
