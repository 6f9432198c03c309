"""Text written by language models: a sample on request, and the samples in a run folder."""

from collections.abc import Iterator

from wherefrom.core.config import check
from wherefrom.core.errors import UsageError
from wherefrom.experiments.resources import use_threads
from wherefrom.generation.decoder import Decoder
from wherefrom.generation.requests import Request
from wherefrom.generation.text_scorer import TextScorer, go_on
from wherefrom.runs.opened_run import AnyRun, Run, open_run
from wherefrom.show.drawing.plots import draw_losses

LONGEST = 1_000_000  # characters of one sample
PROMPT, LENGTH, TEMPERATURE = "Wh", 200, 0.8  # the homework's


def sample(
    run: AnyRun,
    prompt: str = PROMPT,
    length: int = LENGTH,
    temperature: float = TEMPERATURE,
    top_k: int = 0,
    seed: int = 0,
    model: str = "",
    threads: int | None = None,
) -> Iterator[str]:
    """Let a run's character model continue a prompt; returns an iterator over `length` characters.

    With a temperature below 1, likely characters get likelier; at 0, the likeliest is always
    chosen. `top_k` limits the choice to the K likeliest characters (0: all). `model` names one of
    the run's models (default: the primary model). A model that was trained on questions also writes
    its markers: ⁇ around an answer or a missing piece of text, □ after the end of a row. The run
    and the arguments are checked at once, before the first character is asked for.
    """
    opened = open_run(run)
    use_threads(threads, opened.recipe.threads)
    opened.require_finished()
    scorer = opened.predictor(model)
    if not isinstance(scorer, TextScorer):
        kind = opened.recipe.model.kind
        raise UsageError(
            f"{opened.path}: expected a run of a character model, found one of '{kind}'; "
            "'wherefrom run shakespeare-gpt' makes one"
        )
    fits = 0 < length <= LONGEST
    check(fits, "sample", "length", length, f"1 to {LONGEST:,} characters (an hour and more)")
    known = tuple(scorer.vocabulary.encode(prompt))
    # A request checks its numbers, and a decoder the prompt's length.
    Decoder(scorer.model).seat(
        Request(known, length, temperature=temperature, top_k=top_k, seed=seed, stop=None)
    )
    tokens = go_on(scorer.model, known, length, temperature=temperature, top_k=top_k, seed=seed)
    return (scorer.vocabulary.decode([token]) for token in tokens)


def leave_samples(run: Run, name: str) -> None:
    """Write `samples/MODEL.txt`, and `loss.svg` beside the metrics of the model's stage."""
    model, vocabulary = run.model(name), run.vocabulary
    found = go_on(
        model, vocabulary.encode(PROMPT), LENGTH, temperature=TEMPERATURE, seed=run.recipe.seed
    )
    text = PROMPT + vocabulary.decode(list(found))
    run.folder.write_text(f"samples/{name}.txt", f"{text}\n")
    stage = run.recipe.chain(name)[-1].name
    run.folder.write(f"stages/{stage}/loss.svg", [draw_losses(stage, read_losses(run, name))])


def read_losses(run: Run, name: str) -> list[float]:
    """The mean losses of a model's stage, one for every ten updates."""
    rows = run.folder.read_metrics(run.recipe.chain(name)[-1].name)
    tens = (loss for row in rows for loss in row.get("tens", ()))
    return [loss for loss in tens if loss is not None]
