"""Learning from documents: next character, and span corruption in the course's layout.

A row is six integers (document, keep, cut, length, start, size). The row's text is the
document's first `keep` characters followed by what comes `cut` characters later, `length` in
all; then the span of `size` characters from `start` is moved behind it:

    prefix MASK suffix MASK span MASK

A size of zero is plain next-character prediction. Draws are counted, so a plan is a pure
function of its step.
"""

import copy

import torch
from torch import Tensor

from wherefrom.core.bounds import check_choice
from wherefrom.core.config import TaggedConfig, check
from wherefrom.core.contracts import EVERY_ROW, Batch
from wherefrom.core.randomness import Stream, below, chance, draws
from wherefrom.core.vocabulary import MASK_ID
from wherefrom.objectives.corpus import Corpus, take
from wherefrom.objectives.row_order import build_order

SHORTEST = 4  # characters that a truncated text keeps
READ = ("documents", "passages", "omissions")
COLUMNS = ("document", "keep", "cut", "length", "start", "size")


class NextCharacterConfig(TaggedConfig, frozen=True, tag="next-character"):
    """Plain language modelling. `background` weighs what is not a salient span (1: all alike)."""

    windows: float = 0.0
    background: float = 1.0
    reads: str = "documents"  # one of READ

    def __post_init__(self) -> None:
        _check_shares(self, "windows", "background")
        check_choice(self, "reads", READ)


class SpanCorruptionConfig(TaggedConfig, frozen=True, tag="span-corruption"):
    """Span corruption; the defaults are the course's form.

    windows: share of rows in a name-anchored window ("Name. ", then on from a random word);
    salient: share whose span is a capitalised phrase or a number rather than random;
    beside_subject: of those, the share that keeps off the subject's own name;
    answer_like: of all salient ones, the share that some asked question has as its answer,
    whoever it is asked about: so the questions show which facts of the others matter;
    weight: of the span; background: of what is not the span; longest: the course's 7/8 of the
    block;
    truncate: cut each text to a random length first; third_mask: close the span;
    long_texts: of a text that does not fit, the course sees a prefix only; a window begins
    anywhere, after the name if the text begins with one;
    reads: documents; or what each says of a subject behind that subject's name (passages.py); or
    statements about subjects of whom the text states nothing of the kind (omissions.py).
    """

    windows: float = 0.0
    salient: float = 0.0
    beside_subject: float = 0.0
    answer_like: float = 0.0
    weight: float = 1.0
    background: float = 1.0
    truncate: bool = True
    longest: float = 0.875
    third_mask: bool = True
    long_texts: str = "prefix"  # prefix, window
    reads: str = "documents"  # one of READ

    def __post_init__(self) -> None:
        _check_shares(self, "windows", "salient", "beside_subject", "answer_like")
        _check_shares(self, "weight", "background", "longest")
        check_choice(self, "long_texts", ("prefix", "window"))
        check_choice(self, "reads", READ)


def _check_shares(config: object, *names: str) -> None:
    for name in names:
        value = getattr(config, name)
        check(0 <= value <= 1, type(config).__name__, name, value, "a share from 0 to 1")


class Documents:
    """The objective over a corpus for either config; `rows` rows a step.

    Of `block_size` characters `max_input` are read at once, all where it is not given.
    """

    weights_N: Tensor | None = None  # of each document's rows in the loss; None: 1 for all

    def __init__(
        self,
        config: NextCharacterConfig | SpanCorruptionConfig,
        corpus: Corpus,
        *,
        block_size: int,
        rows: int,
        seed: int,
        stage: int,
        order: str = "shuffled",
        max_input: int | None = None,
    ) -> None:
        self.config, self.corpus, self.rows, self.block_size = config, corpus, rows, block_size
        self.seed, self.stage, self.reads = seed, stage, config.reads
        self.masks = 0
        longest = (block_size if max_input is None else max_input) + 1
        if isinstance(config, SpanCorruptionConfig):
            self.masks = 3 if config.third_mask else 2
            longest = min(int(block_size * config.longest), longest - self.masks)
            fits = longest > 0
            check(fits, "GPTConfig", "block_size", block_size, "room for a character and the masks")
        self.longest = longest
        self.width, self.items = longest + self.masks - 1, len(corpus)
        self.order = build_order(
            order, len(corpus), rows=rows, seed=seed, stage=stage, device=corpus.device
        )

    def weighted(self, weights_N: Tensor) -> "Documents":
        """The same rows of the same corpus; the loss of each counts as its document's weight says.

        Rows of a document with weight 0 are left empty.
        """
        other = copy.copy(self)
        other.weights_N = weights_N
        return other

    def plan(self, first_step: int, count: int) -> Tensor:
        """(count, rows, 6)"""
        index = torch.arange(count * self.rows, device=self.corpus.device)
        likely = getattr(self.config, "answer_like", 0.0) > 0
        words = draws(
            9 if likely else 8,
            seed=self.seed,
            stream=Stream.SPAN,
            stage=self.stage,
            step=first_step + index // self.rows,
            row=index % self.rows,
        )
        placed = self.order.at(first_step * self.rows, count * self.rows)
        document = placed.clamp(min=0)
        if isinstance(self.config, SpanCorruptionConfig):
            columns = self._plan_spans(self.config, document, words)
        else:
            columns = self._plan_plain(self.config, document, words)
        there = placed >= 0  # a row without a document has length and size zero
        if self.weights_N is not None:
            there = there & (self.weights_N[document] != 0)
        plan = torch.stack(columns, -1) * there[:, None]
        return plan.view(count, self.rows, len(COLUMNS))

    def _window(
        self, document: Tensor, words: list[Tensor], wanted: Tensor, least: Tensor, most: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Keep and cut of a name-anchored window that begins at a word from `least` to `most`.

        Words are counted within their document, `most` not included; without one, no window.
        """
        corpus = self.corpus
        wanted = wanted & (most > least)
        pick = take(corpus.word_first, document) + least + below(words[1], most - least)
        begin = take(corpus.words, torch.where(wanted, pick, 0))
        keep = torch.where(wanted, take(corpus.anchor, document), 0)
        return keep, torch.where(wanted, begin - keep, 0)

    def _plan_plain(
        self, config: NextCharacterConfig, document: Tensor, words: list[Tensor]
    ) -> tuple[Tensor, ...]:
        corpus = self.corpus
        count = take(corpus.word_count, document)
        wanted = chance(words[0], config.windows)
        keep, cut = self._window(document, words, wanted, count * 0, count)
        left = take(corpus.length, document) - cut
        # A text longer than the block is read from a random place, so that all of it is read.
        over = torch.where(keep == 0, (left - self.longest).clamp(min=0), 0)
        cut = cut + below(words[2], over + 1)
        length = (take(corpus.length, document) - cut).clamp(max=self.longest)
        return document, keep, cut, length, length * 0, length * 0

    def _plan_spans(
        self, config: SpanCorruptionConfig, document: Tensor, words: list[Tensor]
    ) -> tuple[Tensor, ...]:
        corpus = self.corpus
        count, beside = take(corpus.span_count, document), take(corpus.span_beside, document)
        off_subject = chance(words[4], config.beside_subject) & (beside > 0)
        pick = below(words[5], torch.where(off_subject, beside, count))
        salient = chance(words[3], config.salient) & (count > 0)
        span = take(corpus.span_first, document) + pick
        if config.answer_like:
            likes = take(corpus.like_count, document)
            choice = take(corpus.like_first, document) + below(words[5], likes)
            wanted = chance(words[8], config.answer_like) & (likes > 0)
            span = torch.where(wanted, take(corpus.like, torch.where(wanted, choice, 0)), span)
        span = torch.where(salient, span, 0)
        first, last = take(corpus.span_start, span), take(corpus.span_end, span)
        in_view = take(corpus.span_words, span)
        after = first >= take(corpus.anchor, document)  # behind the name: the window must show it
        ahead, count = salient & after, take(corpus.word_count, document)
        least = torch.where(ahead, self._first_in_reach(document, last), 0)
        most = torch.where(ahead, in_view, count)
        left_out = take(corpus.length, document) > self.longest
        must = left_out & (config.long_texts == "window")
        wanted = chance(words[0], config.windows) | must
        keep, cut = self._window(document, words, wanted, least, most)
        loose = must & (keep == 0)
        cut = torch.where(loose, self._loose_cut(document, words, salient, first, last), cut)
        shift = torch.where(after | loose, cut, 0)
        first, last = first - shift, last - shift

        longest = (take(corpus.length, document) - cut).clamp(max=self.longest)
        salient = salient & (last <= longest)
        length = longest
        if config.truncate:  # to any length from 4 up; a text that is shorter stays whole
            shortest = min(SHORTEST, self.longest)
            cut_to = shortest + below(words[2], self.longest - shortest + 1)
            length = longest.minimum(cut_to)
        length = torch.where(salient, length.maximum(last), length)
        # Random size: 1 to half the length, a quarter on average; then any place for it.
        size = 1 + below(words[6], (length // 2 - 1).clamp(min=1))
        start = below(words[7], length - size + 1)
        start, size = torch.where(salient, first, start), torch.where(salient, last - first, size)
        return document, keep, cut, length, start, size

    def _first_in_reach(self, document: Tensor, end: Tensor) -> Tensor:
        """The first word from which a row behind the name reaches that far."""
        corpus = self.corpus
        far = end + take(corpus.anchor, document) - self.longest
        sought = (take(corpus.first, document) + far).to(corpus.word_place.dtype)
        place = torch.searchsorted(corpus.word_place, sought)
        return (place - take(corpus.word_first, document)).clamp(min=0)

    def _loose_cut(
        self, document: Tensor, words: list[Tensor], salient: Tensor, first: Tensor, last: Tensor
    ) -> Tensor:
        """Where a long text begins that does not open with its name: so that the span shows."""
        tail = take(self.corpus.length, document) - min(SHORTEST, self.longest)
        least = torch.where(salient, (last - self.longest).clamp(min=0), 0)
        most = torch.where(salient, first, tail)
        return least + below(words[1], most - least + 1)

    def render(self, plan: Tensor, index: int, rows: slice = EVERY_ROW) -> Batch:
        """The rows of one step, padded to the longest of them."""
        planned = plan[index, rows]
        longest = int(self._totals(planned).max())
        # A row of one character predicts nothing.
        return self._lay_out(planned, max(1, longest - 1))

    def outline(self, plan: Tensor, index: int) -> tuple[Tensor, int]:
        lengths = (self._totals(plan[index]) - 1).clamp(min=0)
        return lengths, max(1, int(lengths.max()))

    def render_all(self, plan: Tensor, rows: slice = EVERY_ROW) -> Batch:
        return self._lay_out(plan[:, rows], self.width)

    def _totals(self, rows: Tensor) -> Tensor:
        """Characters of each row, masks included."""
        length, size = rows[..., 3], rows[..., 5]
        return length + torch.where(size > 0, self.masks, 0)

    def _lay_out(self, rows: Tensor, width: int) -> Batch:
        document, keep, cut, length, start, size = (c[..., None] for c in rows.unbind(-1))
        corpus, spanned = self.corpus, size > 0
        total = self._totals(rows)
        place = torch.arange(width + 1, device=rows.device)
        second = length - size + 1  # where the second mask stands
        behind = torch.where(place < second, place - 1 + size, start + place - second - 1)
        source = torch.where(place < start, place, behind)
        source = torch.where(spanned, source, place)
        masked = spanned & ((place == start) | (place == second) | (place == length + 2))
        live = place < total[..., None]
        real = torch.where(source < keep, source, source + cut)
        last = (take(corpus.length, document) - 1).clamp(min=0)
        where = take(corpus.first, document) + real.clamp(min=0).minimum(last)
        tokens = torch.where(masked, MASK_ID, corpus.tokens[where].long()) * live
        weights = self._weigh(torch.where(spanned, place > second, corpus.fact[where]), live)
        if self.weights_N is not None:
            weights = weights * self.weights_N[document]
        lengths = (total - 1).clamp(min=0)
        return Batch(tokens[..., :-1], tokens[..., 1:], weights[..., 1:], lengths)

    def _weigh(self, counts: Tensor, live: Tensor) -> Tensor:
        """A weight for what counts (a moved span, a salient one), `background` for the rest."""
        weight = getattr(self.config, "weight", 1.0)
        return torch.where(counts, weight, self.config.background) * live
