"""What a run of language models leaves to look at: a sample of each, and the curve of its loss."""

from pathlib import Path

from wherefrom.core.figures import RIGHT, dress, panels, to_svg
from wherefrom.core.files import read_jsonl, write_bytes, write_text
from wherefrom.generation.texts import go_on
from wherefrom.runs.run import Run

PROMPT, LENGTH, TEMPERATURE = "Wh", 200, 0.8  # the homework's


def leave_samples(run: Run, name: str) -> None:
    """`samples/MODEL.txt`, and `loss.svg` beside the metrics of the model's stage."""
    model, vocabulary = run.model(name), run.vocabulary
    found = go_on(
        model, vocabulary.encode(PROMPT), LENGTH, temperature=TEMPERATURE, seed=run.recipe.seed
    )
    text = PROMPT + vocabulary.decode(list(found))
    write_text(run.path / "samples" / f"{name}.txt", f"{text}\n")
    stage = next(m.stage for m in run.recipe.models if m.name == name)
    write_bytes(run.folder.stage(stage) / "loss.svg", draw_curve(stage, read_losses(run, name)))


def read_losses(run: Run, name: str) -> list[float]:
    """The mean loss of each ten updates of a model's stage."""
    stage = next(m.stage for m in run.recipe.models if m.name == name)
    path: Path = run.folder.stage(stage) / "metrics.jsonl"
    tens = (loss for row in read_jsonl(path) for loss in row.get("tens", ()))
    return [loss for loss in tens if loss is not None]


def draw_curve(stage: str, losses: list[float]) -> bytes:
    figure, (axes,) = panels()
    axes.plot([10 * (i + 1) for i in range(len(losses))], losses, color=RIGHT, linewidth=1)
    dress(axes, f"{stage}: mean loss of each ten updates", "updates", "nats per character")
    return to_svg(figure)
