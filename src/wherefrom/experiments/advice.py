"""What a finished run lacks, if anything, and what would help: one sentence."""

from wherefrom.answering.policy import find_policy, open_as_stored
from wherefrom.experiments.planning import Plan
from wherefrom.experiments.probing import Glance, choose_questions, glance
from wherefrom.runs.run import Run

_WELL = 0.95  # a model that answers this share of the questions lacks nothing
_COUNT = 200  # questions that are asked
_APART = 0.1  # the least difference that says something
_MORE = 2.5  # times the minutes that are advised


def advise(run: Run, plan: Plan) -> str:
    """Compare questions that were trained on with calibration questions; "" if all is well."""
    questions = choose_questions(run.dataset, _COUNT)
    if not all(questions.values()):
        return ""
    answerer = open_as_stored(run, find_policy(run)).answerer  # asked as the results were
    return sentence(glance(answerer, questions), plan.minutes)


def sentence(glance: Glance, minutes: float | None) -> str:
    """What the two shares say; a run whose steps the user set is not told how many minutes."""
    trained, others = glance.trained, glance.calibration
    if others >= _WELL:
        return ""
    found = f"trained questions {trained:.0%}, calibration questions {others:.0%}"
    more = "more steps" if minutes is None else f"--minutes {round(max(minutes * _MORE, 1)):g}"
    if trained - others > _APART:
        return f"{found}: it has learnt the questions by heart; more reading will help: {more}"
    if trained < _WELL:
        return f"{found}: it has not finished learning; more reading will help: {more}"
    return f"{found}: more reading may help: {more}"
