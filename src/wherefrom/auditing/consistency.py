"""Whether the files of a run belong together: what follows from another file is computed again.

Each check gives the file that is wrong and a line about it. Files that are missing or damaged are
somebody else's finding, and are left out here.
"""

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from wherefrom.core.contracts import Dataset
from wherefrom.core.errors import Damaged, WherefromError
from wherefrom.core.files import parse_json, parse_jsonl
from wherefrom.evaluation.evaluator import Prediction, accuracy
from wherefrom.runs.descriptions import describe, splits
from wherefrom.runs.layout import (
    CORPUS,
    DATASET,
    DOCUMENTS,
    SPLITS,
    STATUS,
    VOCABULARY,
    predictions_name,
)

POLICY, ANSWERED = "audit/confidence.json", "audit/answered.jsonl"
_AGAIN = "'wherefrom evaluate' computes it again"
Take = Callable[[str], bytes | None]  # the bytes of a sound file
Wrong = tuple[str, str]  # a file, and a line about it


@dataclass
class Contents:
    """What was read of a run: None where a file is missing or damaged."""

    path: Path
    run: dict[str, Any] | None
    status: dict[str, Any] | None
    symbols: list[str] | None = None
    corpus: dict[str, Any] | None = None
    dataset: Dataset | None = None
    manifests: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])

    @property
    def finished(self) -> bool:
        return self.status is not None and self.status["state"] == "finished"

    @property
    def recipe(self) -> Mapping[str, Any]:
        return self.run["recipe"] if self.run else {}

    @property
    def stages(self) -> list[str]:
        return list(_table(self.recipe, "stages"))

    @property
    def models(self) -> Mapping[str, Any]:
        return _table(self.recipe, "models")


def check_consistency(contents: Contents, take: Take) -> Iterator[Wrong]:
    yield from _check_data(contents, take)
    yield from _check_models(contents)
    if contents.finished:
        yield from _check_scores(contents, take)
        yield from _check_policy(contents, take)


def _check_data(contents: Contents, take: Take) -> Iterator[Wrong]:
    dataset, root = contents.dataset, contents.path
    if dataset is None:
        return
    if contents.corpus is not None and contents.corpus != describe(dataset):
        yield CORPUS, f"{root / CORPUS}: expected counts and hash of {DATASET}, found others"
    written = "".join(f"{d.text}\n" for d in dataset.documents).encode()
    if (found := take(DOCUMENTS)) is not None and found != written:
        yield DOCUMENTS, f"{root / DOCUMENTS}: expected the documents of {DATASET}, found others"
    if (people := take(SPLITS)) is None:
        return
    try:
        if parse_json(people, str(root / SPLITS)) != splits(dataset):
            yield SPLITS, f"{root / SPLITS}: expected the people of {DATASET}, found others"
    except Damaged as error:
        yield SPLITS, str(error)


def _check_models(contents: Contents) -> Iterator[Wrong]:
    """A model must be of this recipe, of a stage of it, and over this vocabulary."""
    symbols, root = contents.symbols, contents.path
    digest = symbols and hashlib.sha256(json.dumps(symbols).encode()).hexdigest()
    for name, facts in contents.manifests.items():
        place, wanted = f"models/{name}", _table(contents.models, name)
        recipe, stage = contents.recipe.get("name"), wanted.get("stage")
        if (facts.get("recipe"), facts.get("stage")) != (recipe, stage):
            expected = f"a model of {recipe!r}, stage {stage!r}"
            found = f"one of {facts.get('recipe')!r}, stage {facts.get('stage')!r}"
            yield place, f"{root / place}: expected {expected}, found {found}"
        if digest and _table(facts, "identity").get("vocabulary") != digest:
            path = root / VOCABULARY
            yield VOCABULARY, f"{path}: expected the vocabulary of {place}, found another"


def _check_scores(contents: Contents, take: Take) -> Iterator[Wrong]:
    """Every accuracy must follow from its predictions, and these must be about the run's data."""
    gold = _gold(contents.dataset)
    tasks = _table(contents.recipe, "tasks")
    for i, task in enumerate(tasks):
        about = _table(tasks, task)
        for predictor in map(str, about.get("predictors", ())):
            name = predictions_name(predictor, task)
            if (data := take(name)) is None:
                continue
            where = contents.path / name
            try:
                lines = enumerate(parse_jsonl(data, str(where)), 1)
                rows = [Prediction.from_json(row, f"{where}:{n}") for n, row in lines]
                found = accuracy(rows).as_json()
            except WherefromError as error:
                yield name, f"{error}; {_AGAIN}"
                continue
            if not about.get("brief") and (odd := [r for r in rows if not _is_asked(r, gold)]):
                expected = "expected questions and answers of the run's data"
                yield name, f"{where}: {expected}, found {odd[0].question!r}"
            key = predictor if i == 0 else f"{task}.{predictor}"
            yield from _compare(contents, key, found, name)


def _compare(contents: Contents, key: str, found: Mapping[str, Any], why: str) -> Iterator[Wrong]:
    """A result of the status, with what was computed again."""
    results: dict[str, Any] = contents.status["results"] if contents.status else {}
    if (row := results.get(key)) is None or not _same(found, row):
        where = f"{contents.path / STATUS}: results.{key}"
        yield STATUS, f"{where}: expected what {why} gives, found another; {_AGAIN}"


def _gold(dataset: Dataset | None) -> dict[str, set[str]] | None:
    if dataset is None:
        return None
    found: dict[str, set[str]] = {}
    for q in dataset.questions:
        found.setdefault(q.text, set()).add(q.answer or "")
    return found


def _is_asked(row: Prediction, gold: Mapping[str, set[str]] | None) -> bool:
    return gold is None or row.gold in gold.get(row.question, ())


def _check_policy(contents: Contents, take: Take) -> Iterator[Wrong]:
    """What the thresholds did to calibration questions, and what is reported, must follow."""
    dataset, policy, answered = contents.dataset, take(POLICY), take(ANSWERED)
    if dataset is None or policy is None or answered is None:
        return
    from wherefrom.auditing.policy_rows import PolicyRows

    where = contents.path / POLICY
    try:
        lines = parse_jsonl(answered, str(contents.path / ANSWERED))
        rows = PolicyRows.of(parse_json(policy, str(where)), lines, dataset)
        if wrong := rows.wrong_threshold():
            yield POLICY, f"{where}: {wrong}; {_AGAIN}"
        for key, found in rows.reported().items():
            yield from _compare(contents, key, found, ANSWERED)
    except (AttributeError, LookupError, TypeError, ValueError, WherefromError) as error:
        expected = f"a policy over the answers in {ANSWERED}"
        yield POLICY, f"{where}: expected {expected}, found: {error!r}; {_AGAIN}"


def _same(computed: Mapping[str, Any], written: Mapping[str, Any]) -> bool:
    """Whether all that was computed stands there; details beside it may be more."""
    return all(name in written and _equal(value, written[name]) for name, value in computed.items())


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, dict) and isinstance(b, dict):
        return _same(cast(dict[str, Any], a), cast(dict[str, Any], b))
    if isinstance(a, list) and isinstance(b, list):
        ours, theirs = cast(list[Any], a), cast(list[Any], b)
        return len(ours) == len(theirs) and all(map(_equal, ours, theirs))
    if isinstance(a, float) and isinstance(b, int | float):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
    return a == b


def _table(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = value.get(name)
    return cast(dict[str, Any], found) if isinstance(found, dict) else {}
