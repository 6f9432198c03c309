"""Characters against words: memory, morphology and speed of two language models of the same text.

    python benchmarks/units.py WORDS CHARACTERS --text dev.txt

WORDS is a finished run of `bigram`, CHARACTERS one of `shakespeare-gru` that was trained on the
same text; dev.txt is running text with spaces between words. Memory is counted. Morphology is
measured on words of the text that were not trained on but whose stem was: what they cost, and
whether the right ending is told from made-up ones. Speed is given as characters of text a second of
processor time, one thread, in turns, each model trained as the homework trains it.
"""

import math
import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import torch
from measure import Ratio, finish, machine, parser, ratio

from wherefrom.evaluation.text.readings import CharacterReader, WordReader
from wherefrom.evaluation.text.tokens import Sentence, Token
from wherefrom.generation.scoring import score
from wherefrom.generation.texts import go_on
from wherefrom.runs.readers import open_reader
from wherefrom.runs.run import Run, count_parameters, open_run

ENDINGS = ("ings", "ing", "est", "ers", "ed", "er", "ly", "es", "s", "d")
CONTEXT = 100  # characters before a word that the character model reads first
MADE_UP = 9  # endings of the same length that the right one is compared with
BITS = math.log(2)


@dataclass(frozen=True)
class Word:
    """A word of the text: where it begins, and which stem of the training text it has."""

    text: str
    start: int
    kind: str  # seen, inflected, other
    stem: str = ""


def stem_of(word: str, known: frozenset[str]) -> str:
    """The stem that the training text has of a word that it has not; "" without one."""
    for ending in ENDINGS:
        stem = word.removesuffix(ending)
        if stem == word or len(stem) < 3:
            continue
        doubled = stem[:-1] if stem[-1] == stem[-2] else ""
        if stem in known or (ending[0] in "ie" and (stem + "e" in known or doubled in known)):
            return stem
    return ""


def find_words(text: str, known: frozenset[str]) -> list[Word]:
    """Every word of lower-case letters, five or more, each spelling once unless it was seen."""
    found, start, met = list[Word](), 0, set[str]()
    for word in text.split():
        start = text.index(word, start)
        if len(word) >= 5 and word.isascii() and word.isalpha() and word.islower():
            stem = "" if word in known else stem_of(word, known)
            kind = "seen" if word in known else "inflected" if stem else "other"
            if kind == "seen" or word not in met:
                found.append(Word(word, start, kind, stem))
            met.add(word)
        start += len(word)
    return found


def vocabulary_of(run: Run) -> Counter[str]:
    """The training text's words, in lower case."""
    return Counter(" ".join(d.text for d in run.dataset.training_documents).lower().split())


# -- memory --------------------------------------------------------------------------------


def memory(words: Run, characters: Run, text: str, counts: Counter[str]) -> list[dict[str, Any]]:
    """Numbers that each model keeps, and how much of the text it can say."""
    network, gru = words.model(), characters.model()
    width, hidden, size = network.dimensions
    running = [word.lower() for word in text.split()]
    known = frozenset(words.vocabulary.words)
    forms = words.vocabulary.forms
    said = sum(forms.canonical(w, known) != forms.unknown for w in running) if forms else 0
    every = len(counts)
    whole = sum(w in counts for w in running)
    table = gru.embedding.weight.numel()
    return [
        _memory(f"{size:,} words", size * width, count_parameters(network), said / len(running)),
        _memory(
            f"all {every:,} words of the training text", every * width,
            (width + 1) * hidden + (hidden + 1) * every, whole / len(running),
        ),
        _memory(
            f"{gru.config.vocab_size} characters", table, count_parameters(gru) - table,
            sum(c in set(characters.vocabulary.characters) for c in text) / len(text),
        ),
    ]  # fmt: skip


def _memory(name: str, table: int, rest: int, said: float) -> dict[str, Any]:
    total = table + rest
    return {"units": name, "table": table, "others": rest, "mb": 4 * total / 1e6, "said": said}


# -- morphology ----------------------------------------------------------------------------


def costs(
    words: Sequence[Word], text: str, reader: CharacterReader, other: WordReader
) -> list[dict[str, Any]]:
    """Bits a character of each kind of word, for both models; the character after it included."""
    total = np.append(0.0, np.cumsum(reader.read(f"{text}\n").nats))
    reading = other.read(text)
    by_word = dict(zip(reading.starts.tolist(), reading.nats + reading.charge, strict=True))
    unknown = dict(zip(reading.starts.tolist(), reading.unknown.tolist(), strict=True))
    rows: list[dict[str, Any]] = []
    for kind in ("seen", "inflected", "other"):
        mine = [w for w in words if w.kind == kind and w.start in by_word]
        length = max(1, sum(len(w.text) + 1 for w in mine))
        letters = sum(total[w.start + len(w.text) + 1] - total[w.start] for w in mine)
        rows.append(
            {
                "kind": kind,
                "n": len(mine),
                "unknown": sum(unknown[w.start] for w in mine) / max(len(mine), 1),
                "words_bits": float(sum(by_word[w.start] for w in mine) / length / BITS),
                "characters_bits": float(letters / length / BITS),
            }
        )
    return rows


def endings(words: Sequence[Word], text: str, reader: CharacterReader, most: int) -> dict[str, Any]:
    """How often the right ending of an unseen word is the likeliest among made-up ones.

    A made-up ending has as many letters, drawn as often as the text has them. A word model has one
    unknown word for all of them: it cannot prefer any.
    """
    rng = np.random.default_rng(0)
    letters = Counter(c for c in text if c.isascii() and c.islower())
    share = np.array(list(letters.values())) / sum(letters.values())
    chosen = [w for w in words if w.kind == "inflected"][:most]
    sequences: list[list[int]] = []
    for word in chosen:
        ending = word.text[len(word.stem) :]
        others: list[str] = []
        while len(others) < MADE_UP:
            made = "".join(rng.choice(list(letters), len(ending), p=share))
            if made not in (ending, *others):
                others.append(made)
        before = text[max(0, word.start - CONTEXT) : word.start] or "\n"
        for each in (ending, *others):
            sequences.append(reader.scorer.vocabulary.encode(f"{before}{word.stem}{each} "))
    ends = [len(word.text) - len(word.stem) + 1 for word in chosen for _ in range(MADE_UP + 1)]
    starts = [len(s) - end for s, end in zip(sequences, ends, strict=True)]
    found = [float(p.sum()) for p in score(reader.scorer.model, sequences, starts)]
    right = sum(
        found[i] == max(found[i : i + MADE_UP + 1]) for i in range(0, len(found), MADE_UP + 1)
    )
    n = len(chosen)
    return {"n": n, "right": right / max(n, 1), "by_chance": 1 / (MADE_UP + 1)}


# -- speed ---------------------------------------------------------------------------------


def in_turns(contestants: dict[str, Callable[[int], float]], turns: int) -> dict[str, list[float]]:
    """Work a second of processor time, which other programs hardly change; a first turn is free."""
    speeds: dict[str, list[float]] = {name: [] for name in contestants}
    for turn in range(turns + 1):
        for name, work in contestants.items():
            start = process_time()
            done = work(turn)
            if turn:
                speeds[name].append(done / (process_time() - start))
    return speeds


def train(run: Run, steps: int) -> Callable[[int], float]:
    """Steps of the homework's own training; how many units were read."""
    stage = replace(run.recipe.stage("homework"), steps=1_000_000)
    models = tuple(m for m in run.recipe.models if m.stage == stage.name)
    recipe = replace(run.recipe, stages=(stage,), models=models, primary=models[0].name, tasks=())
    workshop = run.workshop.refit(recipe)
    learner = workshop.learner(stage, workshop.new_model(stage))
    return lambda turn: float(learner.advance(turn * steps, steps)["targets"].sum())


def write_words(run: Run, count: int) -> Callable[[int], float]:
    """Words drawn one after the other, each from the one before."""
    network = run.model()

    def work(turn: int) -> float:
        rng, word = np.random.default_rng(turn), 0
        for _ in range(count):
            p = network.probabilities(np.array([word]))[0]
            word = int(rng.choice(len(p), p=p))
        return count

    return work


def write_characters(run: Run, count: int) -> Callable[[int], float]:
    model, prompt = run.model(), run.vocabulary.encode("Th")
    return lambda turn: len(list(go_on(model, prompt, count, temperature=1.0, seed=turn)))


def speed(words: Run, characters: Run, a_word: float, turns: int, tiny: bool) -> dict[str, Any]:
    """Units a second, characters of text a second, and the ratio of the latter."""
    steps, written = (2, 5) if tiny else (200, 400)
    units = in_turns(
        {
            "train, words": train(words, 10 * steps),
            "train, characters": train(characters, max(1, steps // 20)),
            "write, words": write_words(words, written),
            "write, characters": write_characters(characters, written),
        },
        turns,
    )
    text = {n: [v * (a_word if n.endswith("words") else 1) for v in s] for n, s in units.items()}
    ratios = [ratio(text, f"{what}, words", f"{what}, characters") for what in ("train", "write")]
    return {"units": units, "text": text, "ratios": ratios}


# -- all of it -------------------------------------------------------------------------------


def show(result: dict[str, Any]) -> None:
    print("memory: numbers in the table of vectors, other numbers, MB, share of the text said")
    for row in result["memory"]:
        sizes = f"{row['table']:>10,} {row['others']:>10,} {row['mb']:>8.2f}"
        print(f"  {row['units']:<44} {sizes} {100 * row['said']:>6.1f} %")
    print("morphology: bits a character (words charged by bytes, characters)")
    for row in result["costs"]:
        bits = f"{row['words_bits']:.2f} {row['characters_bits']:.2f}"
        print(f"  {row['kind']:<12} n={row['n']:<6} unknown {100 * row['unknown']:.0f} %  {bits}")
    found = result["endings"]
    print(
        f"  right ending of {found['n']} unseen inflected words among {MADE_UP} made-up ones: "
        f"characters {100 * found['right']:.1f} %, words {100 * found['by_chance']:.0f} % (a tie)"
    )
    print("speed: units, and characters of text, a second of processor time")
    for name, values in result["speed"]["units"].items():
        text = statistics.median(result["speed"]["text"][name])
        print(f"  {name:<20} {statistics.median(values):>10.0f} {text:>10.0f}")
    for each in result["speed"]["ratios"]:
        said = f"{each.median:.1f} ({each.low:.1f} to {each.high:.1f})"
        print(f"  {each.name} against {each.peer}: {said}")


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    options = parser(__doc__)
    options.add_argument("words", help="a run of `bigram`")
    options.add_argument("characters", help="a run of `shakespeare-gru` of the same text")
    options.add_argument("--text", required=True, help="running text to measure on")
    options.add_argument("--most", type=int, default=500, help="inflected words to try endings on")
    given = options.parse_args(arguments)
    torch.set_num_threads(given.threads or 1)
    words, characters = open_run(given.words), open_run(given.characters)
    text = Path(given.text).read_text("utf-8")
    readers = [open_reader(run, "", _spaces, None)[1] for run in (words, characters)]
    assert isinstance(readers[0], WordReader)
    assert isinstance(readers[1], CharacterReader)
    counts = vocabulary_of(characters)
    found = find_words(text, frozenset(counts))
    result: dict[str, Any] = {
        "memory": memory(words, characters, text, counts),
        "costs": costs(found, text, readers[1], readers[0]),
        "endings": endings(found, text, readers[1], given.most),
        "speed": speed(words, characters, len(text) / len(text.split()), given.turns, given.tiny),
    }
    show(result)
    result["speed"]["ratios"] = [vars(r) for r in result["speed"]["ratios"] if isinstance(r, Ratio)]
    return finish(given, result | {"machine": machine()})


def _spaces(text: str) -> list[Sentence]:
    """Words as spaces part them: the text was written so; a blank line ends a sentence."""
    sentences: list[list[Token]] = [[]]
    start = 0
    for line in text.splitlines(keepends=True):
        place = start
        for word in line.split():
            place = text.index(word, place)
            sentences[-1].append(Token(word, place, place + len(word)))
            place += len(word)
        if not line.strip() and sentences[-1]:
            sentences.append([])
        start += len(line)
    return [tuple(s) for s in sentences if s]


if __name__ == "__main__":
    main()
