"""The homework's study of an averaging network: settings compared, and errors explained.

    wherefrom run sentiment --data FOLDER --out runs/sentiment-0
    python studies/sentiment.py runs/sentiment-0               # five sampled errors, five surest
    python studies/sentiment.py runs/sentiment-0 --errors 300  # ends with a count over all of them

OUT/study.md has the tables and the errors, OUT/study.svg the accuracy by word dropout, depth,
activation and epoch. The network does not see the order of the words, so words alone can explain
its answers: each is left out in turn, and the logit without it is compared. docs/SENTIMENT.md says
how the causes of an error are tested, and what was found.
"""

import argparse
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from json import loads
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure

import wherefrom
from wherefrom.core.bags import split_words
from wherefrom.core.randomness import Stream, draws

SERIES = {"word_dropout": "dropout", "depth": "depth", "activation": "activation"}
SHUFFLES, CONTROLS = 10, 20
SHOWN = 8  # words for either label
Bag = Any  # the numbers of a text's words
Logits = Callable[[Sequence[Bag]], np.ndarray]  # the log-odds of positive


# -- settings --------------------------------------------------------------------------------


def compare_settings(run: wherefrom.Run) -> dict[str, list[tuple[Any, dict[str, Any]]]]:
    """For each field that was varied, and for the epochs, settings with their validation scores."""
    recipe, found = run.recipe, dict[str, list[tuple[Any, dict[str, Any]]]]()
    for field, name in SERIES.items():
        rows = []
        for stage in recipe.stages:
            config = stage.variant.of(recipe.model) if stage.variant else recipe.model
            has = stage.mix[0].objective if field == "word_dropout" else config
            score = run.results.get(f"validation.{stage.name}")
            if score and (stage.name.startswith(f"{name}-") or stage.name == recipe.primary):
                rows.append((getattr(has, field), score))
        found[field] = sorted(rows, key=lambda row: row[0])
    probes = run.path / "stages/epochs/probes.jsonl"  # none if the stage is shorter than an epoch
    rows = [loads(line) for line in probes.read_text().splitlines()] if probes.exists() else []
    found["epoch"] = [(row["epoch"], row) for row in rows]
    return {field: rows for field, rows in found.items() if len(rows) > 1}


def draw(series: dict[str, Any], path: Path) -> None:
    style: Any = {"svg.fonttype": "none", "svg.hashsalt": "wherefrom", "font.size": 9}
    with matplotlib.rc_context(style):  # text stays text, and the same numbers give the same bytes
        figure = Figure(figsize=(3 * len(series), 3), layout="constrained")
        panels = figure.subplots(1, len(series), sharey=True, squeeze=False)[0]
        for axes, (field, rows) in zip(panels, series.items(), strict=True):
            at = 100 * np.array([score["accuracy"] for _, score in rows])
            low, high = 100 * np.array([score["interval"] for _, score in rows]).T
            settings = [setting if field == "epoch" else str(setting) for setting, _ in rows]
            line = "-" if field == "epoch" else ""
            axes.errorbar(settings, at, [at - low, high - at], fmt="o", linestyle=line)
            axes.set(xlabel=field.replace("_", " "))
        panels[0].set_ylabel("right validation reviews, %")
        figure.savefig(path, metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))


def tabulate(head: str, rows: Sequence[tuple[Any, dict[str, Any]]]) -> list[str]:
    lines = [f"| {head} | right | 95 % interval | reviews |", "| --- | --- | --- | --- |"]
    for name, score in rows:
        low, high = (100 * end for end in score["interval"])
        right = f"{100 * score['accuracy']:.1f} %"
        lines.append(f"| {name} | {right} | [{low:.1f}, {high:.1f}] | {score['n']} |")
    return lines


# -- causes: each is a change of the text that takes out, or repairs, what it blames -----------

NEGATIONS = frozenset(
    "n't not no never nothing nobody none neither nor nowhere without hardly barely cannot".split()
)
IRONY = frozenset(
    "! ? oh wow yeah gee bravo congratulations supposedly supposed apparently obviously sure "
    "surely right genius thanks".split()
)
SCOPE, CUT, PREFIX = 3, 50, 4
QUOTED = re.compile(r'"[^"]{1,30}"')


def drop_negated(words: list[str]) -> list[str]:
    """Without negations and the three words behind each."""
    near = (words[max(i - SCOPE, 0) : i + 1] for i in range(len(words)))
    return [word for word, those in zip(words, near, strict=True) if NEGATIONS.isdisjoint(those)]


def replace_unseen(words: list[str], known: Sequence[str]) -> list[str]:
    """The known word that shares the longest beginning, of four letters at least."""
    replaced = dict[str, str]()
    for word in set(words).difference(known):
        for length in range(len(word), PREFIX - 1, -1):
            if alike := [k for k in known if k.startswith(word[:length]) and len(k) >= PREFIX]:
                replaced[word] = min(alike, key=lambda k: (abs(len(k) - len(word)), k))
                break
    return [replaced.get(word, word) for word in words]


# What is left of a text, its words, and the words that the network knows.
CAUSES: dict[str, Callable[[str, list[str], Sequence[str]], list[str]]] = {
    "negation": lambda text, words, known: [w for w in words if w not in NEGATIONS],
    "negated words": lambda text, words, known: drop_negated(words),
    "irony": lambda text, words, known: [
        w for w in split_words(QUOTED.sub(" ", text)) if w not in IRONY
    ],
    "unseen words": lambda text, words, known: replace_unseen(words, known),
    f"length, first {CUT}": lambda text, words, known: words[:CUT],
    f"length, last {CUT}": lambda text, words, known: words[-CUT:],
}


@dataclass(frozen=True)
class Tried:
    """The probability of the wrong answer before a change and after it; `control` has the lowest
    and the highest one after changing as many words at random."""

    cause: str
    changed: Sequence[str]
    before: float
    after: float
    control: tuple[float, float]

    @property
    def flips(self) -> bool:
        return self.after < 0.5

    @property
    def explains(self) -> bool:
        return self.flips and self.after < self.control[0]

    def __str__(self) -> str:
        verdict = "explains it" if self.explains else "flips too" if self.flips else "no"
        before, after, low, high = (100 * p for p in (self.before, self.after, *self.control))
        shown = "" if self.cause.startswith("length") else f" ({', '.join(self.changed[:SHOWN])})"
        return (
            f"{self.cause}{shown}: {before:.1f} -> {after:.1f} %; "
            f"at random {low:.1f} to {high:.1f} %; {verdict}"
        )


def try_causes(text: str, positive: bool, vocabulary: Any, logits: Logits) -> list[Tried]:
    """The causes that the text has, tested on a network that wrongly says what it says."""

    def wrong(bags: Sequence[Bag]) -> np.ndarray:
        return 1 / (1 + np.exp(-logits(bags) if positive else logits(bags)))

    words, found = split_words(text), list[Tried]()
    bag = vocabulary.number(words)
    for cause, change in CAUSES.items():
        left = change(text, words, vocabulary.words[1:])
        after = vocabulary.number(left)
        if len(after) not in (0, len(bag)):  # the network sees no other change
            p = wrong([bag, after, *change_at_random(bag, len(after))]).tolist()
            changed = list(Counter(words) - Counter(left))
            found.append(Tried(cause, changed, p[0], p[1], (min(p[2:]), max(p[2:]))))
    return found


def change_at_random(bag: Bag, size: int) -> list[Bag]:
    """Bags of this size: words of the text left out, or some of them once more."""
    place = np.arange(max(len(bag), size))
    keys = draws(CONTROLS, seed=0, stream=Stream.SAMPLING, stage=1, step=0, row=place)
    if size <= len(bag):
        return [bag[np.sort(np.argsort(key, kind="stable")[:size])] for key in keys]
    return [np.concatenate([bag, bag[key[: size - len(bag)] % len(bag)]]) for key in keys]


# -- errors ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Explained:
    """A wrong answer. `effects` has each word with the logit minus the logit without the word,
    the largest first; `moved` is the most that a shuffle of the words changes the logit; without
    the `flip` strongest words the answer is right (0: leaving out words does not do it)."""

    place: str
    text: str
    gold: str
    logit: float
    effects: list[tuple[str, float]]
    moved: float
    flip: int
    causes: list[Tried]

    def lines(self) -> list[str]:
        said, sure = ("positive", "negative")[self.logit < 0], 1 / (1 + np.exp(-abs(self.logit)))
        shown = {
            label: [f"{word} {by:+.2f}" for word, by in self.effects if by * sign > 0][:SHOWN]
            for label, sign in (("positive", 1), ("negative", -1))
        }
        return [
            f"{self.place}: {' '.join(self.text.split())[:200]}",
            f"{said} ({100 * sure:.1f} %), but it is {self.gold}; logit {self.logit:+.2f}",
            *(f"for {label}: {', '.join(words)}" for label, words in shown.items()),
            f"{SHUFFLES} shuffles of the words change the logit by at most {self.moved:.2g}",
            *map(str, self.causes),
            f"strongest words left out until the answer flips: {self.flip or 'it never does'}",
        ]


def explain(text: str, place: str, gold: str, vocabulary: Any, logits: Logits) -> Explained:
    bag = vocabulary.encode(text)
    numbers = np.unique(bag)
    logit, *others = logits([bag, *(bag[bag != n] for n in numbers)])
    effects = logit - np.array(others)
    keys = draws(SHUFFLES, seed=0, stream=Stream.SAMPLING, stage=0, step=0, row=np.arange(len(bag)))
    shuffled = logits([bag[np.argsort(key, kind="stable")] for key in keys])
    sign, left, flip = 1 if logit > 0 else -1, bag, 0
    for count, n in enumerate(np.argsort(-sign * effects, kind="stable"), 1):
        left = left[left != numbers[n]]
        if sign * effects[n] <= 0 or not len(left):
            break
        if sign * logits([left])[0] < 0:
            flip = count
            break
    order = np.argsort(-abs(effects), kind="stable")
    names = vocabulary.decode(numbers)
    return Explained(
        place, text, gold, float(logit), [(names[i], float(effects[i])) for i in order],
        float(abs(shuffled - logit).max()), flip, try_causes(text, sign > 0, vocabulary, logits),
    )  # fmt: skip


def explain_errors(run: wherefrom.Run, count: int, seed: int | None = None) -> list[Explained]:
    """The primary model's errors on the test reviews: the surest, or those drawn by a seed."""
    predictor, task = run.predictor(), run.recipe.tasks[0]
    predictor.model.cpu().double()  # rounding is no finding

    def logits(bags: Sequence[Bag]) -> np.ndarray:
        negative, positive = predictor.logits(bags).numpy().T
        return positive - negative

    wrong = [p for p in run.predictions(run.recipe.primary, task.name) if not p.correct]
    wrong.sort(key=lambda p: (-p.answer.probability, p.question.subject))
    if seed is not None:
        place = np.arange(len(wrong))
        (key,) = draws(1, seed=seed, stream=Stream.SAMPLING, stage=2, step=0, row=place)
        wrong = [wrong[i] for i in np.argsort(key, kind="stable")]
    asked = {q.subject: q for q in run.questions(task)}
    chosen = [asked[p.question.subject] for p in wrong[:count]]
    return [explain(q.text, q.subject, q.answer, run.vocabulary, logits) for q in chosen]


def count_causes(errors: Sequence[Explained]) -> list[str]:
    """What the tests of several errors come to."""
    tried = [each for error in errors for each in error.causes]
    lines = ["| cause | has it | the answer flips | explained |", "| --- | --- | --- | --- |"]
    for cause in CAUSES:
        own = [each for each in tried if each.cause == cause]
        counts = len(own), sum(e.flips for e in own), sum(e.explains for e in own)
        lines.append(f"| {cause} | {' | '.join(map(str, counts))} |")
    explained = sum(any(each.explains for each in error.causes) for error in errors)
    single = sum(error.flip == 1 for error in errors)
    return [
        *lines,
        "",
        f"{explained} of {len(errors)} errors are explained by something; {single} flip when one "
        "word is left out.",
    ]


# -- the page --------------------------------------------------------------------------------


def write_page(run: wherefrom.Run, out: Path, count: int, seed: int) -> None:
    series, results = compare_settings(run), run.results
    test = [(name, score) for name, score in results.items() if "." not in name]
    seeds = [score["accuracy"] for name, score in test if re.fullmatch(r"trainable-\d+", name)]
    mean, worst = (f"{100 * share:.1f} %" for share in (np.mean(seeds), min(seeds)))
    lines = [
        f"# {run.path.name}: settings compared, errors explained", "",
        "## Test reviews", "", *tabulate("model", test), "",
        f"The mean of the {len(seeds)} seeds is {mean}, the worst {worst}. The settings were "
        "chosen on validation reviews. In each table below one of them varies.", "",
    ]  # fmt: skip
    for field, rows in series.items():
        lines += [f"## {field.replace('_', ' ')}", "", *tabulate(field, rows), ""]
    out.mkdir(parents=True, exist_ok=True)
    if series:
        lines += ["![validation accuracy by setting](study.svg)", ""]
        draw(series, out / "study.svg")
    for title, own in ((f"drawn at random, by seed {seed}", seed), ("of which it is surest", None)):
        errors = explain_errors(run, count, own)
        lines += [f"## {len(errors)} errors {title}", ""]
        for error in errors:
            lines += [*(f"    {line}" for line in error.lines()), ""]
        lines += [*count_causes(errors), ""]
    (out / "study.md").write_text("\n".join(lines))
    print(f"{out / 'study.md'}: the tables, the picture and the errors")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("run", help="a finished run of the recipe 'sentiment'")
    parser.add_argument("--errors", type=int, default=5, help="errors of either kind (5)")
    parser.add_argument("--seed", type=int, default=0, help="draws errors (0)")
    parser.add_argument("--out", type=Path, default=Path("runs/sentiment-study"))
    given = parser.parse_args(arguments)
    try:
        if given.errors < 0:
            raise ValueError(f"--errors: expected 0 or more, found {given.errors}")
        run = wherefrom.open_run(given.run)
        if run.recipe.name != "sentiment":
            raise ValueError(
                f"{run.path}: expected a run of 'sentiment', found one of '{run.recipe.name}'"
            )
        run.require_finished()
        write_page(run, given.out, given.errors, given.seed)
    except (OSError, ValueError, wherefrom.WherefromError) as error:
        parser.exit(getattr(error, "exit_code", 2), f"{error}\n")


if __name__ == "__main__":
    main()
