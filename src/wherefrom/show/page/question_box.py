"""All that the engine needs to answer questions as `wherefrom ask` does, apart from the weights.

Nothing is precomputed that depends on what is typed: the page parses, decodes, scores and decides
by itself. What depends on the corpus alone (which names are known, what the text about each
subject states) is computed here.
"""

from collections.abc import Container, Sequence
from dataclasses import replace
from typing import Any

from wherefrom.answering.closed_book import ClosedBookModel
from wherefrom.answering.features import MEASURES, find_letters
from wherefrom.answering.inspector import Inspector
from wherefrom.answering.policy import EVEN_ODDS
from wherefrom.core.config import to_json
from wherefrom.core.contracts import Question
from wherefrom.generation.answerer import OTHER_BEAMS
from wherefrom.memorisation.exposures import KINDS, TAUGHT, count_exposures
from wherefrom.runs.kept import spell_dataset
from wherefrom.runs.opened_run import Run
from wherefrom.show.page.packed_evidence import describe_evidence
from wherefrom.show.page.summary_sentences import noun_of

_EXAMPLES = 3
_INVENTED = 200
_FEW_ROWS = 200_000  # rows of training that are planned again within a second or so


def describe_asking(inspector: Inspector) -> dict[str, Any]:
    """The data of a run that answers questions.

    js/engine/features.js computes the features of policy and predictor.
    """
    run, model, policy = inspector.run, inspector.model, inspector.policy
    decoys = inspector.opened.decoys
    known = tuple(model.parser.names)
    invented = _invent_names(inspector)
    return {
        "vocabulary": list(model.answerer.vocabulary.characters),
        "search": {
            "beams": model.answerer.beams,
            "other_beams": OTHER_BEAMS,
            "wordings": model.searches_wordings,
            "max_new": _room(model),
        },
        "forms": [
            {"prefix": f.prefix, "suffix": f.suffix, "relation": model.parser.fill(f, "").relation}
            for f in model.parser.forms
        ],
        "noun": noun_of(run),
        "names": _describe_names(known, run.dataset.questions),
        "nonexistent": invented,
        "examples": _find_examples(model, run.dataset.questions, invented),
        "familiarity": _describe_familiarity(model),
        "statements": to_json(model.forms)["relations"],
        "policy": None if policy is None else to_json(policy),
        "source": inspector.predictor and to_json(inspector.predictor),
        "even_odds": EVEN_ODDS,
        "decoys": decoys.material() if decoys and inspector.predictor else None,
        "evidence": describe_evidence(inspector, known),
        "exposures": describe_exposures(run, model.relations),
        "kept": describe_kept(inspector),
    }


def describe_kept(inspector: Inspector) -> dict[str, Any]:
    """What `wherefrom ask` needs besides: the page itself does not read it.

    The texts of the documents stand with the evidence.
    """
    opened, dataset = inspector.opened, inspector.opened.dataset
    documents = dataset.training_documents
    kept = spell_dataset(replace(dataset, documents=documents, facts=(), held_out=0))
    kept["documents"] = [ends for _, *ends in kept["documents"]]
    checker, notes = opened.fact_checker, inspector.run.notes if opened.took_notes else None
    return {
        "dataset": kept,
        "extractors": None if checker is None else to_json(checker.extractors),
        "notes": None if notes is None else to_json(notes),
    }


def _room(model: ClosedBookModel) -> int:
    most = model.answerer.max_new
    return most() if callable(most) else most


def _describe_names(known: Sequence[str], questions: Sequence[Question]) -> list[dict[str, Any]]:
    """Every name that the parser knows, in its order, and what is asked about it."""
    about: dict[str, list[Question]] = {}
    for question in questions:
        about.setdefault(question.subject, []).append(question)
    found: list[dict[str, Any]] = []
    for name in known:
        own = about.get(name, [])
        entry: dict[str, Any] = {"name": name}
        if own:
            entry |= {"split": own[0].split, "support": own[0].support}
            entry["relations"] = [q.relation for q in own]
            if trained := [q.relation for q in own if q.split == "asked"]:
                entry["trained"] = trained
        found.append(entry)
    return found


def _invent_names(inspector: Inspector) -> list[str]:
    """Decoys, each made of parts of known names."""
    decoys, questions = inspector.opened.decoys, inspector.run.dataset.questions
    if decoys is None:
        return []
    people = [q.subject for q in questions if q.split == "held-out"] or [
        q.subject for q in questions
    ]
    found: dict[str, None] = {}
    for person in people:
        if len(found) >= _INVENTED:
            break
        found |= dict.fromkeys(decoys.of(person)[:3])
    return list(found)[:_INVENTED]


def _find_examples(
    model: ClosedBookModel, questions: Sequence[Question], invented: Sequence[str]
) -> list[str]:
    """Three questions to begin with: about somebody with text, somebody without, and a decoy."""
    wanted = (("held-out", "stated"), ("held-out", "none"), ("calibration", "stated"))
    found: list[str] = []
    for split, support in wanted:
        some = (q.text for q in questions if (q.split, q.support) == (split, support))
        found += [text for text in some if model.try_parse(text)][:1]
    if invented:
        found.insert(2, model.parser.forms[0].fill(invented[0]))
    return list(dict.fromkeys(found))[:_EXAMPLES]


def _describe_familiarity(model: ClosedBookModel) -> dict[str, Any]:
    reference = model.reference
    letters, capitals = find_letters(model.answerer.vocabulary)
    return {
        "openings": model.openings,
        "measures": list(MEASURES),
        "mean": dict(reference.mean),
        "spread": dict(reference.spread),
        "letters": letters,
        "capitals": capitals,
    }


# -- how often training showed each fact: counted if that takes no time --------------------


def describe_exposures(run: Run, relations: Container[str]) -> dict[str, Any] | None:
    """How often each fact of these relations was shown; None if counting would take long.

    A fact is a list: subject, relation, value, and a count of each of `kinds`.
    """
    rows = sum(stage.steps * stage.batch for stage in run.recipe.chain())
    if rows > _FEW_ROWS or not run.dataset.facts:
        return None
    found = count_exposures(run)
    together: dict[tuple[str, str, str], list[int]] = {}
    for i, fact in enumerate(found.facts):
        if fact.relation in relations:
            own = together.setdefault((fact.subject, fact.relation, fact.value), [0] * len(KINDS))
            for k, kind in enumerate(KINDS):
                count = int(found.counts[kind][i])
                # Every statement counts the same questions and notes: these are not added up.
                own[k] = max(own[k], count) if kind in TAUGHT else own[k] + count
    return {"kinds": list(KINDS), "facts": [[*key, *counts] for key, counts in together.items()]}
