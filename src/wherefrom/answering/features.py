"""The features of an answer, which its confidence and its source are computed from.

- How sure the model is of the answer: its log-probability, and the margin to the next best.
- How likely it finds the answer in the sentences of its own text. A question is one way to reach a
  fact; the sentences that state it are others. "The birthplace of Amos Karlsson is ..." is one of
  the wordings that the model has read, and if it has read it of Amos Karlsson it expects the same
  place there as after the question. A guess has only the question's wording to lean on.
- How familiar it is with the name. A model that has read about Clara Whitfield expects "Whitfield"
  after "Clara"; a model that has only read about other Claras and other Whitfields does not.
  Neither model expects a name to end after "Clara" or after "Clara Whitf". A name is scored where
  names were learnt: after the openings that most often stand before a subject of the text, or after
  the beginnings of questions.

Shapes: N answers.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wherefrom.core.answer_table import FeatureTable
from wherefrom.core.contracts import Answer, Document
from wherefrom.core.forms import ParsedQuestion
from wherefrom.core.progress import telling
from wherefrom.core.vocabulary import MASK_ID, Alphabet
from wherefrom.generation.answerer import ModelAnswerer, Prompt
from wherefrom.generation.language_model import LanguageModel
from wherefrom.generation.scoring import following, score, score_with_entropy

# Four measures of a name, each a log-probability averaged over the openings:
REST = "rest"  # of everything after the first word
LEAST_EXPECTED = "least_expected"  # of the least expected character after the first word
FIRST_WORD = "first_word"  # of the least expected character in the first word, its first left out
ENDING = "ending"  # that no more of a name follows
MEASURES = (REST, LEAST_EXPECTED, FIRST_WORD, ENDING)

# Calibration and the name gate use two of them, in standard deviations of known names.
_FEATURES = {"familiarity": REST, "least_familiar": LEAST_EXPECTED}
FAMILIARITY = tuple(_FEATURES)

CERTAINTY = ("log_probability", "margin")
STATEMENT = ("statement_likelihood", "statement_entropy")  # what the wordings tell of an answer
FEATURES = (*CERTAINTY, *STATEMENT, *FAMILIARITY)  # what confidence is computed from
TINY = 1e-12  # the least probability whose logarithm is taken

_NAT = 0.1  # of a nat: less is as good as nothing
_UNEXPECTED = -30.0  # log-probability: what is less likely is simply not expected
_OPENINGS = 4
_JOINS = "-"  # continues a word as letters do; an apostrophe may begin the 's after a name
_LEAST = 1e-6  # the least probability that a name ends
_SPREADS = 6.0  # standardised measures are clipped here: beyond it, a name is simply unknown
# The model is nearly certain where known names end, so the spread of ENDING is nearly 0. The floor
# on this spread makes a name unknown if its end has a fifth of the usual probability.
_SURE_END = np.log(5) / _SPREADS


# -- certainty -------------------------------------------------------------------------


def measure_certainty(answers: Sequence[Answer]) -> FeatureTable:
    """The features CERTAINTY of each answer."""
    best = np.log([max(a.probability, TINY) for a in answers])
    second = [a.others[0].probability if a.others else 0.0 for a in answers]
    margin = best - np.log(np.maximum(second, TINY))
    return FeatureTable(dict(zip(CERTAINTY, (best, margin), strict=True)))


# -- familiarity -----------------------------------------------------------------------


@dataclass(frozen=True)
class FamiliarityReference:
    """Mean and standard deviation of each measure over names that the model must know.

    The reference is stored with the calibration, which was fitted on features in these units.
    """

    mean: Mapping[str, float]
    spread: Mapping[str, float]

    @classmethod
    def of(cls, known: FeatureTable) -> "FamiliarityReference":
        values = known.matrix(MEASURES)
        mean, spread = values.mean(0), values.std(0) + TINY
        spread[MEASURES.index(ENDING)] = max(spread[MEASURES.index(ENDING)], _SURE_END)
        return cls(
            dict(zip(MEASURES, mean.tolist(), strict=True)),
            dict(zip(MEASURES, spread.tolist(), strict=True)),
        )

    def standardise(self, measured: FeatureTable) -> FeatureTable:
        """FAMILIARITY of names: how many spreads they lie from names that the model knows.

        A name may be unfamiliar by one measure alone: after its first word, in one character
        there, in its first word, or because it ends too soon. Calibration people without text are
        unfamiliar by the first two measures at once, so a curve fitted on them cannot learn the
        weight of each. Therefore, if one measure reaches the lower limit, the whole name does.
        """
        mean, spread = (np.array([part[m] for m in MEASURES]) for part in (self.mean, self.spread))
        known = np.clip((measured.matrix(MEASURES) - mean) / spread, -_SPREADS, _SPREADS)
        known[known.min(axis=1) == -_SPREADS] = -_SPREADS
        table = FeatureTable.from_matrix(known, MEASURES)
        return FeatureTable({feature: table[measure] for feature, measure in _FEATURES.items()})


def find_openings(documents: Sequence[Document]) -> list[str]:
    """The texts that most often stand before a subject, the commonest first."""
    read = telling("looking for what stands before names", documents)
    seen = Counter(d.text[: d.subject.start] for d in read if d.subject)
    return [text for text, _ in sorted(seen.items(), key=lambda x: (-x[1], x[0]))[:_OPENINGS]]


def find_letters(vocabulary: Alphabet) -> tuple[list[int], list[int]]:
    """The numbers of characters that go on with a name, and of those that begin its next word."""
    characters = vocabulary.characters
    letters = [i for i, c in enumerate(characters) if c.isalpha() or c in _JOINS]
    return letters, [i for i, c in enumerate(characters) if c.isupper()]


def measure_familiarity(
    model: LanguageModel, vocabulary: Alphabet, names: Sequence[str], openings: Sequence[str]
) -> FeatureTable:
    """The four MEASURES of each name, each the mean over the openings."""
    inside = _inside(model, vocabulary, names, openings)
    end = _ending(model, vocabulary, names, openings)
    return FeatureTable.from_matrix(np.column_stack((inside, end)), MEASURES)


def measure_likelihood(
    model: LanguageModel, vocabulary: Alphabet, names: Sequence[str], openings: Sequence[str]
) -> np.ndarray:
    """REST alone, for thousands of names: all measures together would take much longer."""
    return _inside(model, vocabulary, names, openings)[:, 0]


def _inside(
    model: LanguageModel, vocabulary: Alphabet, names: Sequence[str], openings: Sequence[str]
) -> np.ndarray:
    """(N, 3): REST, LEAST_EXPECTED and FIRST_WORD."""
    texts: list[list[int]] = []
    starts: list[int] = []
    rests: list[int] = []
    for name in names:
        first, _, rest = name.partition(" ")
        for opening in _fit(openings, name, model):
            texts.append(vocabulary.encode(opening + name))
            last = len(texts[-1]) - 1
            starts.append(max(1, min(len(opening) + 1, last)))
            rests.append(max(1, min(len(opening) + (len(first) + 1 if rest else 1), last)))
    rows: list[tuple[float, float, float]] = []
    for scores, start, rest in zip(score(model, texts, starts), starts, rests, strict=True):
        after, word = scores[rest - start :], scores[: rest - start]
        rows.append((after.sum(), after.min(initial=0.0), word.min(initial=0.0)))
    return np.array(rows).reshape(len(names), len(openings), 3).mean(1)


def _fit(openings: Sequence[str], name: str, model: LanguageModel) -> list[str]:
    """The last part of each opening that the model can read before the name and a space."""
    room = max(0, model.max_input - len(name) - 1)
    return [opening[max(0, len(opening) - room) :] for opening in openings]


def _ending(
    model: LanguageModel, vocabulary: Alphabet, names: Sequence[str], openings: Sequence[str]
) -> np.ndarray:
    """(N,): log P that each name ends here.

    A name goes on if a letter follows, or a space and a capital.
    """
    if not len(names):
        return np.zeros(0)
    letters, capitals = find_letters(vocabulary)
    (space,) = vocabulary.encode(" ")
    texts = [
        vocabulary.encode(f"{opening}{name} ")
        for name in names
        for opening in _fit(openings, name, model)
    ]
    after_name, after_space = following(model, texts, 2).swapaxes(0, 1)
    goes_on = after_name[:, letters].sum(1)
    goes_on = goes_on + after_name[:, space] * after_space[:, capitals].sum(1)
    chance = np.log(np.maximum(1 - goes_on.astype(np.float64), _LEAST))
    return chance.reshape(len(names), len(openings)).mean(1)


# -- in the words of the text ----------------------------------------------------------


@dataclass(frozen=True)
class StatementForm:
    """A wording: `before`, the name, `between`, the answer, `behind`.

    A masked wording has the answer moved behind it, as the rows that the model was trained on
    have; in the others the answer stands where a reader expects it. Answers are `searched` for in
    masked wordings alone: only there it is certain where an answer ends.
    """

    before: str
    between: str
    behind: str
    masked: bool
    searched: bool = False

    def fill(self, name: str) -> str:
        """What stands before the answer."""
        return f"{self.before}{name}{self.between}"

    def prompt(self, answerer: ModelAnswerer, name: str) -> Prompt:
        encode = answerer.vocabulary.encode
        text = encode(self.fill(name))
        return (*text, MASK_ID, *encode(self.behind), MASK_ID) if self.masked else tuple(text)


@dataclass(frozen=True)
class StatementForms:
    """The wordings of each relation."""

    relations: Mapping[str, tuple[StatementForm, ...]]

    def wordings(self, question: ParsedQuestion) -> list[tuple[str, str]]:
        """The question in the text's words: what stands before the answer's gap, and behind it."""
        forms = self.relations.get(question.relation, ())
        return [(f.fill(question.subject), f.behind) for f in forms if f.searched]

    def measure(
        self, answerer: ModelAnswerer, questions: Sequence[ParsedQuestion], answers: Sequence[str]
    ) -> FeatureTable:
        """The features STATEMENT of each answer, from the means over its relation's wordings.

        statement_likelihood: from the answer's surprisal there, -log P. statement_entropy: how
        undecided the model is while it writes the answer, from the entropy of its next character
        summed over the answer's. A model that knows no answer may find one of them likely enough,
        but it has others in mind. Both are in nats and on a log scale, since one nat more or less
        matters where there is one, not where there are ten. Without a wording, both are those of a
        certain answer.
        """
        rows: list[tuple[StatementForm, str, str]] = []
        owner: list[int] = []
        for i, (question, answer) in enumerate(zip(questions, answers, strict=True)):
            for form in self.relations.get(question.relation, ()):
                rows.append((form, question.subject, answer))
                owner.append(i)
        counts = np.bincount(owner, minlength=len(questions)) if owner else np.zeros(len(questions))
        likelihood, entropy = (
            np.bincount(owner, weights=values, minlength=len(questions)) / np.maximum(counts, 1)
            for values in score_answers(answerer, rows)
        )
        columns = -np.log(_NAT - likelihood), np.log(_NAT + entropy)
        return FeatureTable(dict(zip(STATEMENT, columns, strict=True)))


NO_FORMS = StatementForms({})


def score_answers(
    answerer: ModelAnswerer, rows: Sequence[tuple[StatementForm, str, str]]
) -> tuple[np.ndarray, np.ndarray]:
    """log P of an answer in a wording, clipped, and the entropy along it.

    What the model cannot read is not expected.
    """
    encode, longest = answerer.vocabulary.encode, answerer.model.max_input + 1
    sequences: list[tuple[int, ...]] = []
    starts: list[int] = []
    for form, name, answer in rows:
        prompt = form.prompt(answerer, name)
        end = (MASK_ID,) if form.masked else ()
        sequences.append((*prompt, *encode(answer), *end)[:longest])
        starts.append(min(len(prompt), longest - 1))
    scored = score_with_entropy(answerer.model, sequences, starts) if sequences else []
    logs = [max(float(log.sum(dtype=np.float64)), _UNEXPECTED) for log, _ in scored]
    return np.array(logs), np.array([float(entropy.sum(dtype=np.float64)) for _, entropy in scored])
