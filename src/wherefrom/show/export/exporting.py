"""`wherefrom export`: a run's model as a folder that the package transformers loads."""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from wherefrom.core.answer_table import AnswerTable
from wherefrom.core.contracts import EVERY_SUPPORT
from wherefrom.core.errors import CannotWrite
from wherefrom.core.files import (
    cannot_write,
    format_arrays,
    format_jsonl,
    write_bytes,
    write_json,
    write_text,
)
from wherefrom.core.vocabulary import MASK_ID, PAD_ID
from wherefrom.evaluation.evaluator import Score, accuracy
from wherefrom.experiments.resources import use_threads
from wherefrom.generation.answerer import ModelAnswerer
from wherefrom.models.gpt import GPT
from wherefrom.runs.opened_run import AnyRun, Run, count_parameters, open_run
from wherefrom.show.export import example
from wherefrom.show.export.export_check import ExportCheck, check_export, require_transformers
from wherefrom.show.export.model_card import write_card, write_task
from wherefrom.show.export.native_models import require_native, to_native, tokenizer_files
from wherefrom.training.weights import copy_weights

CONFIG = "config.json"  # written last: a folder without it is no model


@dataclass(frozen=True)
class Export:
    """What was exported, as which class of transformers, and what loading it back has shown.

    `accuracy` is the share of held-out questions that the model answers when it is asked as the
    folder's example.py asks: the bare question, no other wordings, and always an answer. It is
    None for a model that is not asked questions, and `check` without `check=True`.
    """

    path: str
    model: str
    architecture: str
    parameters: int
    accuracy: Score | None = None
    check: ExportCheck | None = None


def export_run(
    run: AnyRun,
    out: str | PathLike[str],
    *,
    model: str = "",
    check: bool = False,
    threads: int | None = None,
) -> Export:
    """Write a finished run's model (the primary one) into a new or empty folder.

    `AutoModelForCausalLM` and `AutoTokenizer` of transformers 5.3 or newer load the folder without
    code of its own. With `check`, it is loaded back: its logits must be those of the run's model,
    and no answer to a held-out question may be more probable than the run's. A model that
    transformers has no class for raises BadData, which names the settings of one that has.
    """
    opened = open_run(run)
    use_threads(threads, opened.recipe.threads)
    opened.require_finished()
    name, path = model or opened.recipe.primary, Path(out)
    trained = opened.model(name)
    config = getattr(trained, "config", opened.recipe.model)
    require_native(f"{opened.path}: {name}", opened.recipe.name, config)
    if check:
        require_transformers()
    _require_empty(path)
    exporter = Exporter(opened, name, trained)
    exporter.write(path)
    found = check_export(exporter.answerer, path, exporter.asked) if check else None
    parameters = count_parameters(trained)
    return Export(str(path), name, exporter.native.architecture, parameters, exporter.score, found)


def _require_empty(path: Path) -> None:
    with cannot_write(path):
        path.mkdir(parents=True, exist_ok=True)
        found = min((file.name for file in path.iterdir()), default=None)
    if found:
        raise CannotWrite(
            f"{path}: expected a new folder or an empty one, found '{found}' in it; name another "
            "folder with --out"
        )


class Exporter:
    """What is written, computed once."""

    def __init__(self, run: Run, name: str, model: GPT) -> None:
        self.run, self.name, self.longest = run, name, model.max_input
        self.native = to_native(model.config, copy_weights(model.state_dict()))
        self.beams, self.room = run.recipe.tasks[0].beams, run.dataset.answer_room
        self.answerer = ModelAnswerer(model, run.vocabulary, self.beams, self.room)
        self.questions = run.questions(run.recipe.tasks[0])
        held_out = run.dataset.select("held-out", EVERY_SUPPORT)
        texts = list(dict.fromkeys(q.text for q in (*self.questions, *held_out)))
        self.asked = dict(zip(texts, self.answerer.answer(texts), strict=True))
        found = AnswerTable.of(self.questions, [self.asked[q.text] for q in self.questions])
        self.score = accuracy(found) if len(found) else None

    def write(self, path: Path) -> None:
        for name, value in tokenizer_files(self.run.vocabulary, self.longest).items():
            write_json(path / name, value)
        write_json(path / "generation_config.json", self._generation())
        write_bytes(path / "model.safetensors", format_arrays(self.native.arrays))
        if self.questions:
            rows = (
                {"question": q.text, "answers": [q.answer, *q.accepted], "relation": q.relation}
                for q in self.questions
            )
            write_text(path / "questions.jsonl", format_jsonl(rows))
            task = write_task(self.task, self.run.vocabulary.mask, self._generation())
            write_text(path / f"{self.task}.yaml", task)
        write_text(path / "example.py", Path(example.__file__).read_text("utf-8"))
        card = write_card(self.run, self.name, self.native.architecture, self.score, self.task)
        write_text(path / "README.md", card)
        write_json(path / CONFIG, self.native.config | self._marks())

    @property
    def task(self) -> str:
        return f"wherefrom_{self.run.recipe.name}_{self.run.recipe.seed}".replace("-", "_")

    def _marks(self) -> dict[str, Any]:
        """Nothing begins a text; in models that answer, the mask closes it."""
        pad, eos = (PAD_ID, MASK_ID) if self.run.vocabulary.marks else (None, None)
        return {"bos_token_id": None, "eos_token_id": eos, "pad_token_id": pad}

    def _generation(self) -> dict[str, Any]:
        """A text is sampled; an answer is searched for as here, by whole probabilities."""
        if not self.questions:
            return self._marks() | {"do_sample": True, "temperature": 0.8, "max_new_tokens": 200}
        search = {"num_beams": self.beams, "length_penalty": 0.0} if self.beams > 1 else {}
        return self._marks() | {"do_sample": False, "max_new_tokens": self.room} | search
