"""What each feature of the source predictor is worth, against the labels of retrained models.

    python benchmarks/source_features.py runs/people-0 runs/people-1 --snapshots snapshots-0.npz ...

The runs must have been audited with `--pairs`. Beside the features in use it tries others that cost
more: the answer in paraphrased questions, the agreement of the text's wordings, the cosine of the
gradients of the answer and of the subject's own lines, and when the answer was learnt (from an npz
of the answers' probabilities at several steps of training). For each set of features: the AUROC on
held-out people with text, of a predictor fitted on calibration people.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src")]

import numpy as np  # noqa: E402
import torch  # noqa: E402

from wherefrom.answering.calibration import LogisticCalibration  # noqa: E402
from wherefrom.answering.closed_book import ClosedBookModel, open_closed_book  # noqa: E402
from wherefrom.answering.feature_table import FeatureTable  # noqa: E402
from wherefrom.answering.policy import read_policy  # noqa: E402
from wherefrom.core.forms import ParsedQuestion  # noqa: E402
from wherefrom.core.vocabulary import MASK_ID  # noqa: E402
from wherefrom.evaluation.selective import auroc  # noqa: E402
from wherefrom.generation.answers import ModelAnswerer, answer_probabilities  # noqa: E402
from wherefrom.generation.decoder import Decoder  # noqa: E402
from wherefrom.generation.requests import Request  # noqa: E402
from wherefrom.memorisation.labelled_answers import (  # noqa: E402
    LABELS,
    LabelledAnswers,
    read_labelled,
)
from wherefrom.memorisation.predictor import SOURCE_FEATURES  # noqa: E402
from wherefrom.runs.run import Run, open_run  # noqa: E402

PARAPHRASES = (
    "In which city was {} born?",
    "What is the birthplace of {}?",
    "Where is {} from?",
    "Where was the birthplace of {}?",
)
OLD = ("log_probability", "margin", "familiarity", "least_familiar", "contrast", "agreement")
PLAIN = (
    "log_probability",
    "margin",
    "statement_likelihood",
    "statement_entropy",
    "contrast",
    "agreement",
)
TINY = 1e-12


def paraphrased(model: ClosedBookModel, asked: Sequence[ParsedQuestion], answers: Sequence[str]):
    """The mean log-probability of an answer over paraphrased questions that nobody was asked."""
    found = []
    for form in PARAPHRASES:
        texts = [form.format(q.subject) for q in asked]
        found.append(np.log(np.maximum(answer_probabilities(model.answerer, texts, answers), TINY)))
    return np.maximum(np.mean(found, 0), -30)


def wordings_agree(model: ClosedBookModel, asked: Sequence[ParsedQuestion], answers: Sequence[str]):
    """The share of the text's wordings after which the model, greedily, gives the same answer."""
    answerer: ModelAnswerer = model.answerer
    rows, owner, wanted = [], [], []
    for i, (question, answer) in enumerate(zip(asked, answers, strict=True)):
        for form in model.forms.relations.get(question.relation, ()):
            rows.append(form.prompt(answerer, question.subject))
            owner.append(i)
            wanted.append(answer)
    most = max(map(len, answers)) + 1
    said = Decoder(answerer.model).generate([Request(row, most, 1) for row in rows])
    texts = [answerer.vocabulary.decode(found[0].tokens) for found in said]
    same = [text.startswith(answer) for text, answer in zip(texts, wanted, strict=True)]
    count = np.maximum(np.bincount(owner, minlength=len(asked)), 1)
    return np.bincount(owner, weights=same, minlength=len(asked)) / count


def gradient_cosine(run: Run, model: ClosedBookModel, asked: Sequence[ParsedQuestion], answers):
    """The cosine of the gradients of log P(answer | question) and of log P(the subject's lines)."""
    net = model.answerer.model
    encode = model.answerer.vocabulary.encode
    weights = [w for w in net.parameters() if w.requires_grad]
    lines: dict[str, list[str]] = {}
    for document in run.dataset.training_documents:
        if document.subject:
            lines.setdefault(document.subject.of(document.text), []).append(document.text)
    net.eval()

    def gradient(rows: Sequence[tuple[Sequence[int], int]]) -> torch.Tensor:
        net.zero_grad()
        total = torch.zeros(())
        for row, start in rows:
            tokens = torch.tensor([row])
            logits = net(tokens[:, :-1])[0]
            loss = torch.nn.functional.cross_entropy(logits, tokens[0, 1:], reduction="none")
            total = total + loss[start - 1 :].sum()
        found = torch.autograd.grad(total, weights, allow_unused=True)
        return torch.cat([torch.zeros(0) if g is None else g.flatten() for g in found])

    cosines = np.zeros(len(asked))
    for i, (question, answer) in enumerate(zip(asked, answers, strict=True)):
        own = lines.get(question.subject, [])
        if not own:
            continue
        prompt = (*encode(question.text), MASK_ID)
        here = gradient([((*prompt, *encode(answer), MASK_ID), len(prompt))])
        there = gradient([(encode(line), 1) for line in own])
        cosines[i] = float(torch.nn.functional.cosine_similarity(here, there, dim=0))
    return cosines


def learning(path: Path, labelled: LabelledAnswers) -> dict[str, np.ndarray]:
    """When the answer was learnt: the share of the steps at which it was, and its mean P."""
    with np.load(path) as found:
        places = {q: i for i, q in enumerate(found["questions"])}
        order = [places[q] for q in labelled.questions]
        same = found["answers"][order] == np.array(labelled.answers)
        p_TN, top_TN = found["p"][:, order], found["top"][:, order]
    if same.mean() < 0.99:
        print(f"{path}: {1 - same.mean():.1%} of the answers are others: another model?")
    held = np.cumprod(top_TN[::-1], 0).mean(0)  # from the end back, without a break
    return {"learnt": held, "mean_probability": p_TN.mean(0)}


def try_features(labelled: LabelledAnswers, features: FeatureTable, rows: Mapping[str, object]):
    """Fit each set of features on calibration people and print its AUROCs on held-out people."""
    m = labelled.memorisation.m
    text, recalled = labelled.in_corpus, m > 0.5
    stated = np.array([s == "stated" for s in labelled.supports]) & labelled.right
    fit, held = labelled.select("calibration") & text, labelled.select("held-out") & text
    usual, read = labelled.features["usual"], labelled.probability_read
    known = np.where(read < 0.5, read, 1.0) * np.where(usual > 0.5, 1 - usual, 1.0)
    for name, columns in rows.items():
        cells = []
        for label in (recalled, stated) if labelled.by_construction else (recalled,):
            if isinstance(columns, str):
                score = features[columns]
            else:
                curve = LogisticCalibration.fit(features.rows(fit), label[fit], columns)
                score = curve.probability(features) * known
            area = auroc(score[held], label[held])
            low, high = area.interval if area else (np.nan, np.nan)
            cells.append("-" if area is None else f"{area.value:.3f} [{low:.2f}, {high:.2f}]")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--snapshots", type=Path, nargs="*", default=[])
    given = parser.parse_args(arguments)
    for number, path in enumerate(given.runs):
        run, labelled = open_run(path), read_labelled(path / LABELS)
        policy = read_policy(run)
        model = open_closed_book(run, policy.reference, policy.forms)
        asked = [model.parse(text) for text in labelled.questions]
        answers = labelled.answers
        more = {
            "paraphrase": paraphrased(model, asked, answers),
            "wordings": wordings_agree(model, asked, answers),
            "cosine": gradient_cosine(run, model, asked, answers),
        }
        if number < len(given.snapshots):
            more |= learning(given.snapshots[number], labelled)
        features = labelled.features.join(FeatureTable(more))
        print(f"\n{path.name}: {len(labelled.models) // 2} pairs")
        rows: dict[str, object] = {f"`{name}` alone": name for name in features.columns}
        rows |= {"before: without wordings": OLD, "all but familiarity and `usual`": PLAIN}
        rows |= {"in use": SOURCE_FEATURES}
        rows |= {f"in use and `{name}`": (*SOURCE_FEATURES, name) for name in more}
        rows |= {
            f"in use without `{name}`": tuple(f for f in SOURCE_FEATURES if f != name)
            for name in SOURCE_FEATURES
        }
        try_features(labelled, features, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
