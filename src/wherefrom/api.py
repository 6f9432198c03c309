"""The Python API: everything that the command line can do, with typed results.

    import wherefrom

    outcome = wherefrom.run("people", progress=True)
    print(outcome.results["with_pretraining"])        # {'accuracy': ..., 'interval': ..., ...}

    for reply in wherefrom.ask(outcome.run, ["Where was Clara Whitfield born?"]):
        print(f"{reply.answer}, {reply.confidence}" if reply.answered else "I don't know")

    audit = wherefrom.audit(outcome.run)              # calibration, risk bound, evidence, source
    run = wherefrom.open_run(outcome.run)             # its recipe, data, models, predictions

A function that takes a run takes its folder, its name under `runs/`, an outcome, or an open run
from `open_run`. `threads` is the number of CPU threads (0: OMP_NUM_THREADS, or else one per core;
None: the number in the recipe). Results are frozen dataclasses; `wherefrom.to_json` encodes any of
them as `--json` does on the command line. Every error that is not a bug is a
`wherefrom.WherefromError` and says in one line what to do.
docs/PYTHON.md is a guide; `wherefrom.data` and `wherefrom.doctor` are further modules of the API.
"""

from collections.abc import Callable, Iterable
from contextlib import nullcontext, suppress
from functools import partial, wraps
from os import PathLike
from pathlib import Path
from time import monotonic
from typing import ParamSpec, TypeVar, Unpack

from msgspec.structs import replace

from wherefrom.answering.asking import Replies
from wherefrom.answering.asking import ask as put_questions
from wherefrom.answering.inspector import Inspector, open_inspector
from wherefrom.auditing.answer_examples import Examples, examples_of_file, examples_of_run
from wherefrom.auditing.audit_findings import Audit
from wherefrom.auditing.auditor import audit_run
from wherefrom.auditing.claimed_answers import weigh_claims
from wherefrom.core.config import to_json
from wherefrom.core.errors import CannotWrite, MissingInput, UsageError, WherefromError
from wherefrom.core.files import cannot_write
from wherefrom.core.recipe import Demonstrations, Experiment, Recipe
from wherefrom.core.replies import Claim, Reply, Source, Verdict
from wherefrom.core.sample_size import ALPHA, DELTA
from wherefrom.course.classroom.handout_files import new_course
from wherefrom.course.lab.running import run_demonstrations
from wherefrom.data.data_catalogue import survey_dataset
from wherefrom.experiments.comparing.listing import RecipeEntry, RunEntry, list_recipes, list_runs
from wherefrom.experiments.comparing.run_comparison import RunComparison, compare
from wherefrom.experiments.comparing.run_perplexity import PerplexityReport, perplexity
from wherefrom.experiments.launcher import run_on_ranks
from wherefrom.experiments.many_runs.seeds import (
    SeedsOutcome,
    choose_seeds,
    prepare_seeds,
    train_at_once,
)
from wherefrom.experiments.many_runs.stacked_runs import RunRequest, check_apart, execute_all
from wherefrom.experiments.one_run.execute import evaluate_run, execute
from wherefrom.experiments.one_run.outcome import Outcome
from wherefrom.experiments.one_run.samples import sample
from wherefrom.experiments.plan import Planned, plan_run
from wherefrom.experiments.recipes.recipe_catalogue import (
    RECIPES,
    RecipeOptions,
    build,
    change,
    check_options,
    get_recipe,
)
from wherefrom.experiments.resources import count_apart, use_threads
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.layout import RUNS
from wherefrom.runs.opened_run import AnyRun, Run, open_run, run_path
from wherefrom.runs.verification import Fault, Verification, verify
from wherefrom.show.export.exporting import Export
from wherefrom.show.export.exporting import export_run as export
from wherefrom.show.page.opened_report import example_report, open_report
from wherefrom.show.page.report_page import Report, write_report
from wherefrom.show.terminal.messages import note
from wherefrom.show.terminal.progress_lines import TrainingProgress, watch_reading
from wherefrom.training.rank_group import PATIENCE

__all__ = [
    "Audit", "Claim", "Examples", "Export", "Fault", "Outcome",
    "PerplexityReport", "Recipe", "RecipeEntry", "Replies", "Reply", "Report", "Run",
    "RunComparison", "RunEntry", "SeedsOutcome", "Source", "Verdict", "Verification",
    "WherefromError",
    "ask", "audit", "build_recipe", "compare", "evaluate", "example_report",
    "examples", "export", "get_recipe", "list_recipes", "list_runs", "new_course",
    "open_run", "perplexity", "run", "run_seeds", "sample", "to_json", "verify",
    "write_report",
]  # fmt: skip

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def _reports_reading(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """With `progress`, reading a large text is reported too, wherever it happens."""

    @wraps(function)
    def call(*args: Parameters.args, **options: Parameters.kwargs) -> Result:
        with watch_reading() if options.get("progress") else nullcontext():
            return function(*args, **options)

    return call


# -- training ------------------------------------------------------------------------


def build_recipe(name: str | None = None, **options: Unpack[RecipeOptions]) -> Experiment:
    """A named recipe, changed by a TOML file, then by options, then by settings; the
    options `seed`, `device` and `threads` come last.

    Without a name, it is the recipe that the TOML file names, or else `people`.
    """
    return build(name, options)


@_reports_reading
def run(
    recipe: str | Experiment | None = None,
    *,
    out: str | PathLike[str] | None = None,
    progress: bool = False,
    processes: int | None = None,
    wait: float = PATIENCE,
    **options: Unpack[RecipeOptions],
) -> Outcome:
    """Run a recipe into a folder (default: `default_folder`), or continue the run in the folder.

    A finished run is only read. With `progress`, notes about the user's own files and the progress
    of training are written to standard error. Several `processes` share every step; `wait`
    is how many seconds one that does not come, or does not answer, is waited for. A program that
    torchrun has started needs neither: only its first process returns from here. The options are
    those of `build_recipe`. If `recipe` is a recipe object and not a name, only the option `seed`
    is allowed.
    """
    started = monotonic()
    built = _build(recipe, options)
    planned = _is_planned(recipe, built, options)
    work = partial(_run_into, built, options if planned else None, progress, started)
    path = default_folder(built) if out is None else Path(out)
    alike = {"minutes": options.get("minutes")}
    return run_on_ranks(work, path, built, processes, wait, alike=alike)


def _run_into(
    built: Experiment,
    options: RecipeOptions | None,
    progress: bool,
    started: float,
    path: Path,
) -> Outcome:
    """What every rank does in `run`; with options, the recipe is fitted to its text."""
    if progress:
        _introduce(built)
    if options is None:
        return _run(built, path, progress)
    chosen, folder = options, RunFolder(_folder(built, path))
    planned = plan_run(
        lambda base: change(base, chosen), folder, options.get("minutes"), started=started
    )
    if progress:
        _tell_plan(planned)
    return _run(planned.recipe, path, progress, planned=planned)


@_reports_reading
def run_seeds(
    recipe: str | Experiment | None,
    seeds: str | Iterable[int],
    *,
    out: str | PathLike[str] | None = None,
    progress: bool = False,
    processes: int | None = None,
    together: int | None = None,
    **options: Unpack[RecipeOptions],
) -> SeedsOutcome:
    """Run a recipe with several seeds (`0-4`, or numbers), and average every result over them.

    With `out`, the run folders are `out`/seed-0, `out`/seed-1, and so on. Several `processes` train
    as many seeds at once, each seed in one of them. One process trains up to `together` models as
    one: by default as many as fit on a GPU, and one on a CPU.
    """
    check_apart(together, processes)
    built = _build(recipe, options)
    numbers = choose_seeds(seeds)
    at_once = count_apart(processes)
    if progress:
        _introduce(built)
    folders = {seed: _seed_folder(replace(built, seed=seed), out) for seed in numbers}
    if isinstance(built, Demonstrations):
        each = [
            _run(replace(built, seed=seed), folder, progress, f"seed {seed}, ")
            for seed, folder in folders.items()
        ]
        return SeedsOutcome.of(built.name, each)
    done: list[Outcome] = []
    if _is_planned(recipe, built, options):  # the others take the steps of the first
        seed, folder = next(iter(folders.items()))
        chosen = replace(built, seed=seed)
        done = [_run_into(chosen, options | {"seed": seed}, progress, monotonic(), folder)]
        del folders[seed]
    ready = list(prepare_seeds(built, folders, open_run(done[0]) if done else None))
    if at_once > 1:
        train_at_once(ready, at_once, note if progress else _keep_quiet)
        progress = False
    return SeedsOutcome.of(built.name, [*done, *_run_all(ready, together, progress)])


def evaluate(
    run: AnyRun,
    *,
    threads: int | None = None,
    processes: int | None = None,
    wait: float = PATIENCE,
) -> Outcome:
    """Score a finished run's models again.

    The new results are stored; `Outcome.changed` names those that differ from the old ones. Several
    `processes`, or those of torchrun, divide the questions; `wait` is as in `run`.
    """
    path = run_path(run)
    recipe = RunFolder(path).read_recipe()
    work = partial(evaluate_run, threads=threads)
    return run_on_ranks(work, path, recipe, processes, wait, trains=False)


def default_folder(recipe: Experiment) -> Path:
    """`runs/RECIPE-SEED`, or `runs/RECIPE-VARIANT-SEED` if the attention was changed."""
    usual = RECIPES[recipe.name]() if recipe.name in RECIPES else recipe
    found, known = (getattr(getattr(r, "model", None), "attention", "") for r in (recipe, usual))
    variant = f"-{found}" if found != known else ""
    return Path(RUNS) / f"{recipe.name}{variant}-{recipe.seed}"


# -- asking --------------------------------------------------------------------------


def ask(
    run: AnyRun,
    questions: str | Iterable[str],
    *,
    risk: float | None = None,
    delta: float | None = None,
    evidence: str = "shown",
    claim: str | None = None,
    strict: bool = True,
    threads: int | None = None,
) -> Replies:
    """Ask a finished run questions, closed-book; returns a sequence with one `Reply` per question.

    `run` may also be a report's file, such as `example_report()`, whose model stands in the page.
    Each reply has the answer, the calibrated confidence, what the text says about the answer, and
    whether the model recalled it. With `risk`, the model answers only above a threshold that the
    calibration people certify: at most a share `risk` of the answers is wrong, except with
    probability `delta` (0.1). With `evidence="stated"`, an answer that the text does not state is
    withheld, too, and with "required" also one that is only as read: what is answered is then no
    longer up to the model alone. With `claim`, an answer
    that you say is right, `Replies.claims` weighs it against each reply, by the text and the
    training, and recommends what to do. A question that the run cannot be asked raises BadData. If
    `strict` is False, the other questions are answered, and `Replies.problems` says what is wrong.
    """
    asked = [questions] if isinstance(questions, str) else list(questions)
    inspector = open_to_ask(run, threads)
    found = put_questions(
        inspector, asked, risk=risk, delta=delta, evidence=evidence, strict=strict
    )
    return found if claim is None else weigh_claims(inspector, found, claim)


def open_to_ask(run: AnyRun, threads: int | None = None) -> Inspector:
    """A run, or the report of one, opened once to be asked often."""
    if isinstance(run, Run) or not (Path(run).is_file() or Path(run).suffix == ".html"):
        return open_inspector(_open(run, threads))
    use_threads(threads)
    return open_report(Path(run))


def audit(
    run: AnyRun,
    *,
    risk: float = ALPHA,
    delta: float = DELTA,
    pairs: int | None = None,
    budget: float | None = None,
    processes: int = 1,
    together: int | None = None,
    threads: int | None = None,
    progress: bool = False,
) -> Audit:
    """Measure how far a run's answers can be trusted; the findings are also written to audit/.

    `pairs` trains that many pairs of models without people's text, to measure what the model
    recalled; `budget` (minutes) trains as many pairs as it allows, up to `pairs` or 8. Several
    `processes` train as many models at once; or one process trains `together` as many in one step
    (by default as many as fit on a GPU, and one on a CPU). Models that an earlier audit trained are
    used again.
    """
    opened = open_run(run)
    count_apart(processes)
    return audit_run(
        opened,
        risk,
        delta,
        pairs=pairs,
        budget=budget,
        processes=processes,
        together=together,
        threads=threads,
        watch=TrainingProgress if progress else None,
        tell=note if progress else _keep_quiet,
    )


def examples(
    source: AnyRun,
    *,
    number: int = 5,
    seed: int = 0,
    relation: str | None = None,
    model: str | None = None,
    task: str | None = None,
    questions: str | PathLike[str] | None = None,
    data: str | PathLike[str] | None = None,
    threads: int | None = None,
) -> Examples:
    """`number` right answers beside as many wrong ones, drawn by the seed.

    Of a finished run: of its `model` (the primary one) in its `task` (the first), of one `relation`
    or all. Or of a file with a prediction a line, about the answered `questions` of a table (the
    course's dev questions); then `data` is the course's folder, for what its text says.
    """
    named = {"relation": relation, "model": model, "task": task}
    if isinstance(source, Run) or not Path(source).is_file():
        _refuse_given(f"{source}: is a run", questions=questions, data=data)
        return examples_of_run(_open(source, threads), number, seed, **named)
    _refuse_given(f"{source}: is a file of predictions", **named)
    table, folder = (None if path is None else Path(path) for path in (questions, data))
    return examples_of_file(Path(source), table, folder, number, seed)


# -- what these share ------------------------------------------------------------------


def _open(run: AnyRun, threads: int | None) -> Run:
    """The run, opened to compute with this number of threads (None: the number of its recipe)."""
    opened = open_run(run)
    use_threads(threads, opened.recipe.threads)
    return opened


def _build(recipe: str | Experiment | None, options: RecipeOptions) -> Experiment:
    """A recipe from its name and options, or a recipe object with another seed."""
    if recipe is None or isinstance(recipe, str):
        return build_recipe(recipe, **options)
    check_options(options)
    given = [name for name, value in options.items() if value and name != "seed"]
    if given:
        raise UsageError(
            f"{given[0]}: expected a recipe's name with this option, found a recipe object; "
            "change the object itself"
        )
    seed = options.get("seed")
    return recipe if seed is None else replace(recipe, seed=seed)


def _is_planned(given: str | Experiment | None, built: Experiment, options: RecipeOptions) -> bool:
    """Whether the recipe is fitted to its text: `facts` by its name, not as an object."""
    planned = not isinstance(given, Experiment) and built.name == "facts"
    if options.get("minutes") is not None and not planned:
        raise UsageError(
            f"--minutes: expected the recipe 'facts', which is fitted to its text, found "
            f"'{built.name}'; its length is set by stages.NAME.steps"
        )
    return planned


def _seed_folder(recipe: Experiment, out: str | PathLike[str] | None) -> Path:
    return _folder(recipe, None if out is None else Path(out) / f"seed-{recipe.seed}")


def _folder(recipe: Experiment, out: str | PathLike[str] | None) -> Path:
    """Where the run goes: a new folder, an empty one, or one that has a run already."""
    path = Path(out) if out is not None else default_folder(recipe)
    with cannot_write(path):
        found = [file for file in path.iterdir() if file.name[0] != "."] if path.is_dir() else []
    if found and not RunFolder(path).exists():
        raise CannotWrite(
            f"{path}: expected a new folder, an empty one or a run, found a folder with "
            f"'{min(found).name}' in it and no run; choose another folder with --out"
        )
    return path


def _tell_plan(planned: Planned) -> None:
    for line in planned.lines:
        note(line)


def _run(
    recipe: Experiment,
    out: str | PathLike[str] | None,
    progress: bool,
    label: str = "",
    planned: Planned | None = None,
) -> Outcome:
    path = _folder(recipe, out)
    if isinstance(recipe, Demonstrations):  # they take seconds: there is no progress to show
        outcome = run_demonstrations(recipe, path)
    else:
        assert isinstance(recipe, Recipe), "a study of several runs has a function of its own"
        # After the last name the models are evaluated; with a deadline the primary one is last.
        last = recipe.chain()[-1:] if planned and planned.clock else recipe.stages[-1:]
        names = [stage.name for stage in (*recipe.stages, *last)]
        with TrainingProgress(names, label) if progress else nullcontext() as observer:
            outcome = execute(recipe, path, [observer] if observer else [], planned)
    if progress and outcome.reused:
        note(f"{label}{outcome.run} is finished; these are its results")
    return outcome


def _run_all(requests: list[RunRequest], together: int | None, progress: bool) -> list[Outcome]:
    outcomes = execute_all(
        requests,
        together,
        TrainingProgress if progress else None,
        note if progress else _keep_quiet,
    )
    for request, outcome in zip(requests, outcomes, strict=True):
        if progress and outcome.reused:
            note(f"{request.label}{outcome.run} is finished; these are its results")
    return outcomes


def _introduce(recipe: Experiment) -> None:
    """Before training, say what is in a user's own files and what could not be matched.

    Missing files are ignored here: a finished run does not need them, and any other run raises.
    """
    if not isinstance(recipe, Recipe):
        return
    with suppress(MissingInput):
        longest = getattr(recipe.model, "max_input", 0)
        for line in survey_dataset(recipe.data, longest, recipe.precision):
            note(line)


def _refuse_given(why: str, **options: object) -> None:
    """Refuse an option that what is asked about does not take."""
    for name, value in options.items():
        if value is not None:
            raise UsageError(f"--{name}: expected none, found {value}; {why}")


def _keep_quiet(line: str) -> None:
    pass
