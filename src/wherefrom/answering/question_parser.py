"""A question taken apart: its form, its subject, and the relation that it asks for.

The model was taught a few forms ("Where was X born?") and reads every character, so "where was
amos  karlsson born" would be another question to it. Spaces, capitals and the closing mark are
therefore brought into the form's own spelling first, and a known name into the text's spelling.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import cached_property

from wherefrom.core.contracts import Question
from wherefrom.core.errors import BadData
from wherefrom.core.forms import Form, ParsedQuestion, find_forms, match
from wherefrom.evidence.index import fold

_SHOWN = 3  # forms that are named to someone who asked in another one
_CLOSE = 0.8  # similarity (difflib's ratio) from which a name is offered
_OFFERED = 3
_LOOKED_AT = 40  # names sharing most pairs of characters, of which the similarity is computed
_MARKS = "?.!"


class QuestionParser:
    """Reads questions of the forms that the asked questions have."""

    def __init__(self, asked: Sequence[Question], names: Iterable[str] = ()) -> None:
        """`names` are the subjects that are known: of the text and of all questions."""
        self.forms = find_forms([question.text for question in asked])
        self._patterns = {form: _tolerant(form) for form in self.forms}
        self._relations: dict[Form, str] = {}
        self.subjects: list[str] = []  # of the asked questions, as their forms have them
        for question in asked:
            if found := match(self.forms, question.text):
                self._relations.setdefault(found[0], question.relation)
                self.subjects.append(found[1])
        if not self.subjects:
            raise BadData(
                f"asked questions: expected several of one form, found {len(asked)} without"
            )
        self._names = dict.fromkeys((*self.subjects, *names))

    def parse(self, text: str) -> ParsedQuestion:
        """BadData, which shows the forms that the model was taught, if it is none of them."""
        found = match(self.forms, text) or self._match_loosely(text)
        if found is None:
            taught = " or ".join(f"'{form.fill('...')}'" for form in self.forms[:_SHOWN])
            only = "only this one" if len(self.forms) == 1 else f"{len(self.forms)} forms"
            raise BadData(
                f"{text!r}: expected a question like {taught}, "
                f"found another form; the model was taught {only}"
            )
        form, typed = found
        return self.fill(form, self._spell(typed))

    def fill(self, form: Form, subject: str) -> ParsedQuestion:
        """The question of that form about a subject."""
        # Closer forms may have taken all the questions of one: it has no relation then.
        return ParsedQuestion(form.fill(subject), form, subject, self._relations.get(form, ""))

    def knows(self, subject: str) -> bool:
        return subject in self._names

    def suggest(self, subject: str) -> tuple[str, ...]:
        """Known names that are spelt like this one, the closest first; none if it is known."""
        if self.knows(subject):
            return ()
        wanted = fold(subject)
        pairs = _pairs(wanted)
        shared: Counter[int] = Counter()
        for pair in pairs:
            shared.update(self._by_pair.get(pair, ()))
        names = [self._list[i] for i, _ in shared.most_common(_LOOKED_AT)]
        ratios = {name: SequenceMatcher(None, wanted, fold(name)).ratio() for name in names}
        close = sorted((name for name in names if ratios[name] >= _CLOSE),
                       key=lambda name: (-ratios[name], name))  # fmt: skip
        return tuple(close[:_OFFERED])

    def _match_loosely(self, text: str) -> tuple[Form, str] | None:
        """The closest form but for spaces, capitals and the closing mark."""
        found = [
            (form, matched[1])
            for form, pattern in self._patterns.items()
            if (matched := pattern.fullmatch(text)) and matched[1].strip()
        ]
        return max(found, key=lambda pair: pair[0].length) if found else None

    def _spell(self, typed: str) -> str:
        """A known name as the text spells it; any other with single spaces."""
        if typed in self._names:
            return typed
        spellings = self._by_fold.get(fold(typed), ())
        return spellings[0] if len(spellings) == 1 else " ".join(typed.split())

    @cached_property
    def _by_fold(self) -> dict[str, list[str]]:
        table: dict[str, list[str]] = {}
        for name in self._names:
            table.setdefault(fold(name), []).append(name)
        return table

    @cached_property
    def _list(self) -> list[str]:
        return sorted(self._names)

    @cached_property
    def _by_pair(self) -> dict[str, list[int]]:
        """The known names that have a pair of characters: an inverted index."""
        table: dict[str, list[int]] = {}
        for number, name in enumerate(self._list):
            for pair in _pairs(fold(name)):
                table.setdefault(pair, []).append(number)
        return table


def _pairs(name: str) -> set[str]:
    padded = f" {name} "
    return {padded[i : i + 2] for i in range(len(padded) - 1)}


def _tolerant(form: Form) -> re.Pattern[str]:
    """The form whatever its spaces and capitals are, with or without its closing mark."""
    suffix = form.suffix.rstrip().rstrip(_MARKS)
    parts = (_loose(form.prefix.lstrip()), "(.+?)", _loose(suffix))
    return re.compile(rf"\s*{''.join(parts)}\s*[{re.escape(_MARKS)}]?\s*", re.IGNORECASE)


def _loose(text: str) -> str:
    return r"\s+".join(re.escape(part) for part in re.split(r"\s+", text))
