"""The hidden tests: the vanilla model, the attention of part g, and the files of predictions."""

from functools import partial

from grading import scores
from grading.points import Kind, asks_for
from wherefrom.course.doctor.checks import in_turn
from wherefrom.course.doctor.judging import functions, models
from wherefrom.course.doctor.judging.claims import Claims

VANILLA = ("layer-Causal", "model-vanilla")
ALONE, AFTER, OWN = "vanilla.nopretrain", "vanilla.pretrain", ""  # "": that of part g


def vanilla(claims: Claims) -> str | None:
    """What was handed out still does what it did; what print() shows is noted."""
    checks = (
        models.check_variant,
        models.check_forward,
        models.check_future,
        models.check_parameters,
        models.check_loss,
        models.check_dropout,
        models.check_start,
        models.note_tree,
    )
    looks = [partial(check, variant="vanilla") for check in checks]
    return in_turn(models.check_attention, *looks)(claims)


def tools(look: scores.Answers) -> str | None:
    """Dev without pretraining, and the two functions that answer and score."""
    functions.check_sample(look.claims)
    functions.check_scoring(look.claims)
    return scores.judge(look, ALONE, "dev")


def _predictions(what: str, model: str, split: str) -> Kind:
    asks = asks_for("layer-", "model-") if model == OWN else asks_for(*VANILLA)
    return Kind(what, asks, lambda look: scores.judge(look, model, split), (model, split))


HIDDEN: dict[str, Kind] = {
    "vanilla model": Kind(
        "the vanilla model", asks_for(*VANILLA, "start-vanilla"), vanilla
    ),
    "attention of part g": Kind(
        "part g: its attention is the hand-out's formula", asks_for("layer-"), models.check_formula
    ),
    "dev without pretraining": Kind(
        "dev without pretraining, by the given sample()",
        lambda year, draw: [*asks_for(*VANILLA)(year, draw), *functions.requests(draw)],
        tools, (ALONE, "dev"),
    ),
    "test without pretraining": _predictions("test without pretraining", ALONE, "test"),
    "dev with pretraining": _predictions("dev with pretraining", AFTER, "dev"),
    "test with pretraining": _predictions("test with pretraining", AFTER, "test"),
    "dev of part g": _predictions("dev with the model of part g", OWN, "dev"),
    "test of part g": _predictions("test with the model of part g", OWN, "test"),
}  # fmt: skip
