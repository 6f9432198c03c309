"""The checks of `wherefrom doctor submission`, and its hints.

A hint names the place and the idea, never the line to write.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace

from wherefrom.course.doctor import (
    given_model,
    given_tools,
    given_trainer,
    models,
    names,
    perceiver,
    predictions,
    rotary,
    spans,
    training,
)
from wherefrom.course.doctor.findings import Finding, NoTelling
from wherefrom.course.doctor.submission import Submission

FORMULAS: dict[str, Callable[[Submission], str]] = {
    "synthesizer": models.check_formula,
    "perceiver": perceiver.check_formula,
    "rope": rotary.check_formula,
}
_STAGES = ("pretrain", "finetune from scratch", "finetune")

HINTS = {
    "import": "make 'python -c \"import submission\"' work in the folder above first",
    "form": "compare what the function returns with its comment in the starter",
    "size": "count the characters of an example before and after it is cut into x and y",
    "wrong shift": "print one x above its y: each y should be what comes after the x over it",
    "layout": "print an example with its masks and pads visible and compare with the comment",
    "no third mask": "print an example: how would a model know where the span ends?",
    "rebuild": "put the pieces of one example together by hand: is it the document's beginning?",
    "empty span": "what is the smallest length your span can have?",
    "fixed truncation": "draw one document ten times: how many different lengths come out?",
    "truncation range": "which ends of the range does your random call leave out?",
    "span length": "average span / text over a thousand draws",
    "fixed span": "draw texts of one length: does the span's length change?",
    "fixed place": "draw one document ten times: where does the span begin?",
    "past the end": "what does a for loop over a data set wait for?",
    "wrong vocabulary order": "look at itos[0], itos[1] and the order of the rest",
    "question not masked in the loss": "at which positions of y is there something to learn?",
    "unmasked future": "can a position see the character that it has to predict?",
    "scores without softmax": "do the attention weights of a position sum to one?",
    "scaled scores": "compare the scores with equation (3), factor by factor",
    "formula": "give the layer weights you can follow by hand, and compare two positions on paper",
    "one rotation": "a score compares a query with a key: which of them knows its position?",
    "values rotated": "which of query, key and value says where to look, and which what is there?",
    "unscaled scores": "compare the scores with the attention that you were given",
    "halves paired": "print one small row before and after: which dimensions turn together?",
    "rotated before heads": "which width does each rotation have: a head's, or the model's?",
    "wide angles": "how many dimensions does one head have, and how many pairs has your cache?",
    "wrong base": "compare the angle of the slowest pair at position 1 with the hand-out's",
    "latents not normalised": "read the comment of forward: what is normalised before attention?",
    "mlp not normalised": "read the comment of forward: what is normalised before the MLP?",
    "no residual": "compare with Block's forward: what is the MLP's output added to?",
    "tree": "print(model) beside the starter's: names, and their order in __init__",
    "parameters": "print the shape of every parameter: which one should not be there, or is wider?",
    "names": "print one x above its y and compare with the two lines in the comment",
    "length": "how many documents does the text have, and what does len() count?",
    "vocabulary size": "which symbols come on top of the text's own characters?",
    "program": "run 'python run.py' with the hand-out's own arguments",
    "no rotation": "where in forward are queries and keys turned by their position?",
    "no relu": "compare the scores with equation (3), factor by factor",
    "flag never set": "print(model): which attention do you see? who reads the config's flag?",
    "variant": "print(model): which attention class do you see?",
    "config": "compare with the hyperparameters in the comments of helper.py",
    "trained twice": "follow who calls trainer.train(), from run.py on",
    "never trained": "follow who calls trainer.train(), from run.py on",
    "not written": "what does train() do after training?",
    "not loaded": "compare a weight before and after finetune() with the same one in the file",
    "shuffled": "look at how the trainer makes its loader",
    "rate at the end": "plot the learning rate over all steps: look at final_tokens and max_epochs",
    "parameters file": "which function wrote the file, and what did it save?",
    "predictions shifted by a line": "compare the first three questions with the first three lines",
    "lines": "does every question write exactly one line, empty answers too?",
    "constant": "is this a trained model's file? sample a few answers by hand",
    "empty": "print a whole generated text: where are its masks?",
    "unwritten": "write this part first",
    "no model": "does the function build a model and return it?",
    "memory": "what grows with every call?",
    "stopped": "run this part alone on a small input",
    "crash": "run this part alone on a small input",
    "library": "write this part yourself: a call of the library's own solution counts as nothing",
    "positions unused": "compare model.py's forward with the one you were handed",
    "no last norm": "compare model.py's forward with the one you were handed",
    "no residuals": "compare Block's forward with the one you were handed",
    "no norms in the blocks": "compare Block's forward with the one you were handed",
    "another GELU": "compare Block's layers with those you were handed",
    "model": "compare model.py with the one you were handed, line by line",
    "attention": "compare CausalSelfAttention with the one you were handed",
    "pads in the loss": "at which targets may the loss not look? compare with the hand-out's",
    "loss": "compare the end of model.py's forward with the one you were handed",
    "dropout": "compare GPTConfig, and where model.py drops out, with those you were handed",
    "start": "compare _init_weights, and who calls it, with the one you were handed",
    "sampling instead of greedy": "what does sample() do with its argument of the same name?",
    "generation": "compare sample() in utils.py with the one you were handed",
    "scoring": "compare evaluate_places() in utils.py with the one you were handed",
    "decay": "compare the optimiser's groups in trainer.py with those you were handed",
    "clipping": "what happens to the gradients before optimizer.step() in the hand-out?",
    "rate": "compare the learning rate's steps in trainer.py with those you were handed",
    "optimiser": "compare how trainer.py makes its optimiser with the one you were handed",
    "trainer": "compare trainer.py with the one you were handed, line by line",
}


def imported(submission: Submission) -> None:
    _ = submission.code


def shift(submission: Submission) -> str | None:
    note = spans.check_size(submission)
    spans.check_shift(submission)
    return note


def masks(submission: Submission) -> str:
    notes = (spans.check_masks(submission), spans.check_rebuilt(submission))
    return "; ".join(filter(None, notes))


def randomness(submission: Submission) -> str:
    return f"{spans.check_truncation(submission)}; {spans.check_spans(submission)}"


def loss(submission: Submission) -> None:
    pretraining = submission.CharCorruptionDataset(names.TEXT, training.BLOCK)
    data = names.name_dataset(submission, pretraining)
    names.check_items(data, pretraining, training.BLOCK)


def rate(submission: Submission) -> str:
    """Compare the rate after the last step with that of the required hyperparameters."""
    told: list[str] = []
    for stage in _STAGES:
        config = training.setup(submission, stage).config
        if not getattr(config, "lr_decay", False):
            raise Finding("rate at the end", f"{stage}: the learning rate never decays")
        asked = training.expected_config(stage, submission.year)
        wanted = training.rate_at_end(SimpleNamespace(**asked), stage, submission.year)
        share = training.rate_at_end(config, stage, submission.year)
        end = share * config.learning_rate
        if abs(share - wanted) > 0.02 or abs(end - wanted * asked["learning_rate"]) > 0.02 * end:
            text = f"{stage} ends at a rate of {end:.2g}, {share:.0%} of its peak"
            raise Finding("rate at the end", f"{text}; the handout's settings end elsewhere")
        told.append(f"{stage} {share:.0%}")
    return "of the peak at the end: " + ", ".join(told)


def variant(submission: Submission) -> str:
    """The classes in the models; also in the perceiver, an optional part, if it left files."""
    names = _variants(submission)
    for name in names:
        models.check_variant(submission, name)
    left = [*training.find_parameters(submission), *submission.written("*.predictions")]
    part_g = submission.year.variant == models.PERCEIVER
    if not part_g and any(path.name.startswith(f"{models.PERCEIVER}.") for path in left):
        models.check_perceiver(submission)
    return "; ".join(models.check_parameters(submission, name) for name in names)


def files(submission: Submission) -> str:
    known = [p for p in training.find_parameters(submission) if _variant_of(p.name)]
    if not known:
        raise NoTelling("there are no files of parameters yet")
    return ", ".join(_of_each(known, _saved))


def _saved(path: Path) -> str:
    models.check_saved(path, _variant_of(path.name))
    return path.name


def attention(submission: Submission) -> str:
    told = FORMULAS[submission.year.variant](submission)
    for name in _variants(submission):
        models.check_future(submission, name)
    return told


def once(submission: Submission) -> None:
    for stage in _STAGES:
        training.check_untrained(submission, stage)
    training.check_trains_once(submission)


def aligned(submission: Submission) -> str:
    """Every prediction file: its lines, whether they are aligned with the questions, its score."""
    found = submission.written("*.predictions")
    if not found:
        raise NoTelling("there are no files of predictions yet")
    # Files of other names are a student's own, such as the answers of london_baseline.py.
    named = [path for path in found if _split_of(path) and _variant_of(path.name)]
    return "; ".join(_of_each(named, partial(_placed, submission)))


def _split_of(path: Path) -> str:
    return next((split for split in predictions.QUESTIONS if f".{split}." in path.name), "")


def _placed(submission: Submission, path: Path) -> str:
    asked = predictions.read_asked(submission.data, _split_of(path))
    lines = predictions.read_predictions(path)
    predictions.check_form(lines, asked, path.name)
    predictions.check_aligned(lines, asked, path.name)
    scored = predictions.score(lines, asked)
    return f"{path.name} {scored}" if scored else f"{path.name} {len(lines)} lines"


def _of_each(paths: Sequence[Path], check: Callable[[Path], str]) -> list[str]:
    """What a check says of each file; one Finding tells what is wrong with any of them."""
    told: list[str] = []
    wrong: list[Finding] = []
    for path in paths:
        try:
            told.append(check(path))
        except Finding as finding:
            wrong.append(finding)
    if wrong:
        raise Finding(wrong[0].mistake, "; ".join(map(str, wrong)))
    return told


def _variants(submission: Submission) -> tuple[str, str]:
    return "vanilla", submission.year.variant


def _variant_of(name: str) -> str:
    start = name.split(".")[0]
    return start if start in (*models.ATTENTION, models.PERCEIVER) else ""


def given_parts(submission: Submission) -> None:
    """The model but for its attention: what was handed out still does what it did."""
    given_model.check_attention(submission)
    for variant in dict.fromkeys(_variants(submission)):
        for check in (
            given_model.check_forward,
            given_model.check_loss,
            given_model.check_dropout,
            given_model.check_start,
        ):
            check(submission, variant)


def given_functions(submission: Submission) -> None:
    given_tools.check_sample(submission)
    given_tools.check_scoring(submission)


CHECKS: dict[str, Callable[[Submission], str | None]] = {
    "import": imported,
    "vocabulary": spans.check_vocabulary,
    "shift": shift,
    "masks": masks,
    "random lengths": randomness,
    "loss on the answer": loss,
    "attention": attention,
    "variant built": variant,
    "parameter files": files,
    "trained once": once,
    "parameters loaded": training.check_loaded,
    "pretraining settings": partial(training.check_config, stage="pretrain"),
    "learning rate at the end": rate,
    "shuffling": training.check_order,
    "predictions aligned": aligned,
    "given model": given_parts,
    "given trainer": given_trainer.check_trainer,
    "given functions": given_functions,
}
# These read what the submission's code wrote, and run none of it.
OF_FILES = ("parameter files", "predictions aligned")
