"""A report, opened as its run would be: the model and the data stand in the page.

`wherefrom ask` asks it with the code that asks a run. The page has the weights with fewer bits, so
a probability may differ in its third decimal.
"""

import re
from base64 import b64decode
from collections.abc import Mapping
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from wherefrom.answering.closed_book import ClosedBookModel
from wherefrom.answering.features import FamiliarityReference, StatementForms
from wherefrom.answering.inspector import Inspector, Opened
from wherefrom.answering.policy import AnswerPolicy
from wherefrom.answering.source import SourcePredictor
from wherefrom.core.config import decode, from_json
from wherefrom.core.contracts import Dataset, Note
from wherefrom.core.errors import BadData, Damaged, Mismatch, WherefromError
from wherefrom.core.files import parse_json, reading, require_file
from wherefrom.core.vocabulary import read_characters
from wherefrom.generation.answerer import ModelAnswerer
from wherefrom.models.gpt import GPT, GPTConfig
from wherefrom.reading.extractor import RelationExtractor
from wherefrom.reading.index import Index, fold
from wherefrom.reading.verdict import FactChecker
from wherefrom.runs.kept import build_dataset
from wherefrom.show.page.document import checksum
from wherefrom.show.page.engine_data import ANSWERS, FORMAT_VERSION
from wherefrom.show.page.packed_weights import unpack_weights
from wherefrom.training.weights import load_weights

_MADE_BY = '<meta name="generator" content="wherefrom'
_HEAD = 4000  # characters in which this stands
# The elements that hold data: their attributes, and their text, which has no "<".
_ELEMENT = re.compile(r'<script type="(?:application/json|text/plain)"([^>]*)>([^<]*)(</script>)?')
_ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')
_LARGEST = 100_000_000  # parameters: pages of far smaller models are too large already
_AGAIN = "copy it again, or write it again with 'wherefrom report RUN'"


def example_report() -> Path:
    """The report of `wherefrom run people` that comes with the package."""
    return Path(str(files("wherefrom.show.page") / "example" / "report.html"))


def open_report(path: Path) -> Inspector:
    """Open a report to be asked; an error says in one line why it cannot be."""
    data, weights = _read(path)
    try:
        opened = OpenedReport(path, data, weights)
        opened.prepare()
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise _damaged(path, repr(error)) from error
    except WherefromError as error:
        raise _damaged(path, str(error)) from error
    return Inspector(opened)


class OpenedReport(Opened):
    """The parts of a report: `data` is what the page's engine reads too."""

    def __init__(self, path: Path, data: Mapping[str, Any], weights: bytes) -> None:
        self.path, self._data, self._weights = path, data, weights
        self._notes: Any = data["kept"]["notes"]
        self.took_notes = self._notes is not None

    def prepare(self) -> None:
        """Open everything, so that what is damaged is found before a question is asked."""
        for part in ("model", "policy", "predictor", "fact_checker", "_by_subject"):
            getattr(self, part)

    @property
    def dataset(self) -> Dataset:
        return self._dataset

    @cached_property
    def _dataset(self) -> Dataset:
        evidence, kept = self._data["evidence"], self._data["kept"]["dataset"]
        rows = zip(evidence["texts"], kept["documents"], strict=True)
        return build_dataset(kept | {"documents": [[text, *ends] for text, ends in rows]})

    @cached_property
    def model(self) -> ClosedBookModel:
        familiarity, search = self._data["familiarity"], self._data["search"]
        model = ClosedBookModel(
            ModelAnswerer(
                self._build_model(),
                read_characters(self._data["vocabulary"]),
                search["beams"],
                search["max_new"],
            ),
            self.dataset,
            FamiliarityReference(familiarity["mean"], familiarity["spread"]),
            from_json(StatementForms, {"relations": self._data["statements"]}, "statements"),
            search["wordings"],
        )
        model.openings = list(familiarity["openings"])
        return model

    def _build_model(self) -> GPT:
        """The primary model, which stands first."""
        manifest = self._data["models"][0]["manifest"]
        config = decode(GPTConfig, manifest["config"], {"gpt": GPTConfig})
        if config.least_weights > _LARGEST:  # a small file must not ask for much memory
            found = f"{config.least_weights:,} or more"
            raise BadData(f"expected at most {_LARGEST:,} parameters, found {found}")
        arrays = unpack_weights(manifest["tensors"], self._weights, _LARGEST)
        model = GPT(config)
        own = {n: v for n, v in model.state_dict().items() if not n.endswith(".mask")}
        load_weights(own, arrays)
        return model.eval()

    @cached_property
    def policy(self) -> AnswerPolicy | None:
        found = self._data["policy"]
        return None if found is None else from_json(AnswerPolicy, found, "policy")

    @cached_property
    def predictor(self) -> SourcePredictor | None:
        found = self._data["source"]
        return None if found is None else from_json(SourcePredictor, found, "source")

    @cached_property
    def fact_checker(self) -> FactChecker | None:
        """The extractors are those of the run; the index of the text is made in memory."""
        found, data = self._data["kept"]["extractors"], self.dataset
        if found is None:
            return None
        subjects = [question.subject for question in data.questions]
        index = Index.in_memory(self.path, data.documents, subjects, data.passages)
        fitted = {
            relation: from_json(RelationExtractor, each, f"extractors.{relation}")
            for relation, each in found.items()
        }
        return FactChecker(index, fitted)

    @cached_property
    def _by_subject(self) -> dict[tuple[str, str], Note]:
        notes = [from_json(Note, row, "notes") for row in self._notes or ()]
        return {(fold(note.subject), note.relation): note for note in notes}

    def find_note(self, subject: str, relation: str) -> Note | None:
        return self._by_subject.get((fold(subject), relation))

    def changed_source(self) -> str | None:
        """A report has its text in itself."""
        return None


def _read(path: Path) -> tuple[dict[str, Any], bytes]:
    """What the engine of the page reads, and the weights of the primary model."""
    require_file(path)
    with reading(path):
        text = path.read_bytes().decode("utf-8", "replace")
    if _MADE_BY not in text[:_HEAD]:
        raise BadData(
            f"{path}: expected a run's folder or a report of 'wherefrom report', found another file"
        )
    elements = _ELEMENT.findall(text)
    attributes = [dict(_ATTRIBUTE.findall(each)) for each, _, _ in elements]
    if not any(each.get("id") == "page-data" for each in attributes):
        raise _damaged(path, "the beginning alone")
    places = {each.get("data-model") or each.get("id"): i for i, each in enumerate(attributes)}
    if "engine-data" not in places:
        raise BadData(
            f"{path}: expected a report with its model in it, found one without; ask the run itself"
        )
    data = _read_data(path, elements[places["engine-data"]][1])
    primary = places.get(data["models"][0]["name"], -1)
    for place in (places["engine-data"], primary):
        if checksum(elements[place][1]) != attributes[place].get("data-crc"):
            raise _damaged(path, "data that were changed or cut off")
    return data, b64decode(elements[primary][1])


def _read_data(path: Path, text: str) -> dict[str, Any]:
    try:
        data = parse_json(text.encode(), str(path))
        version, kind = data["format_version"], data["kind"]
    except (BadData, Damaged, KeyError, TypeError) as error:
        raise _damaged(path, "data that were changed or cut off") from error
    if version != FORMAT_VERSION:
        newer = isinstance(version, int) and version > FORMAT_VERSION
        advice = "install a newer wherefrom" if newer else "'wherefrom report RUN' writes it again"
        raise Mismatch(
            f"{path}: expected a report of format {FORMAT_VERSION}, found {version!r}; {advice}"
        )
    if kind != ANSWERS:
        raise BadData(
            f"{path}: expected the report of a run that answers questions, found one of "
            f"'{data['recipe']}'"
        )
    return data


def _damaged(path: Path, found: str) -> Damaged:
    return Damaged(f"{path}: expected a whole report, found {found}; {_AGAIN}")
