"""A question taken apart: its form, its subject, and the relation that it asks for.

The model was taught a few forms ("Where was X born?") and reads every character, so "where was
amos  karlsson born" would be another question to it. Spaces, capitals and the closing mark are
therefore brought into the form's own spelling first, and a known name into the text's spelling.
Nothing is changed where a question already stands so in the data set.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from wherefrom.answering.name_suggestions import NameSuggester
from wherefrom.core.contracts import Question
from wherefrom.core.errors import BadData
from wherefrom.core.forms import Form, ParsedQuestion, find_forms, match
from wherefrom.evidence.index import fold

_SHOWN = 3  # forms that are named to someone who asked in another one
_MARKS = "?.!"


class QuestionParser:
    """Reads questions of the forms that the asked questions have."""

    def __init__(
        self,
        asked: Sequence[Question],
        names: Iterable[str] = (),
        others: Iterable[Question] = (),
    ) -> None:
        """`names` are the subjects of the text, `others` the questions not trained on."""
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
        # Names as the questions themselves spell them: these are asked as they stand.
        held = (found[1] for q in others if (found := match(self.forms, q.text)))
        known = (*self.subjects, *names, *held)
        self._names = dict.fromkeys(name for name in known if name.strip())

    def parse(self, text: str) -> ParsedQuestion:
        """BadData, which shows the forms that the model was taught, if it is none of them."""
        found = self._match(text)
        if found is None:
            taught = " or ".join(f"'{form.fill('...')}'" for form in self.forms[:_SHOWN])
            only = "only this one" if len(self.forms) == 1 else f"{len(self.forms)} forms"
            raise BadData(
                f"{text!r}: expected a question like {taught}, "
                f"found another form; the model was taught {only}"
            )
        form, typed = found
        return self.fill(form, self._spell(form, typed))

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
        return self._suggester.suggest(subject)

    def _match(self, text: str) -> tuple[Form, str] | None:
        """The closest form and what stands in it.

        A known name in a form is never read otherwise. But "Who is the Mother of Ada?" is closer
        to "Who is the mother of ...?" than to "Who is ...?", although it fits only the latter
        exactly.
        """
        exact = match(self.forms, text)
        if exact and exact[1] in self._names:
            return exact
        loose = self._match_loosely(text)
        if exact and (loose is None or loose[0].length <= exact[0].length):
            return exact
        return loose

    def _match_loosely(self, text: str) -> tuple[Form, str] | None:
        """The closest form but for spaces, capitals and the closing mark."""
        found = [
            (form, matched[1])
            for form, pattern in self._patterns.items()
            if (matched := pattern.fullmatch(text)) and matched[1].strip()
        ]
        return max(found, key=lambda pair: pair[0].length) if found else None

    def _spell(self, form: Form, typed: str) -> str:
        """A known name as the text spells it; any other with single spaces.

        A closing mark may have been typed twice, or the only one may belong to the name ("Jr.").
        """
        if typed in self._names:
            return typed
        typed = " ".join(typed.split())
        bare = typed.rstrip(f"{_MARKS} ")
        for name in (typed, bare, f"{bare}."):
            if spellings := self._by_fold.get(fold(name), ()):
                return spellings[0] if len(spellings) == 1 else name
        closed = form.suffix.rstrip().endswith(tuple(_MARKS))
        # A full stop stays, since it may be an abbreviation's; no name ends in the other marks.
        return (closed and typed.rstrip("?! ")) or typed

    @cached_property
    def _by_fold(self) -> dict[str, list[str]]:
        table: dict[str, list[str]] = {}
        for name in self._names:
            table.setdefault(fold(name), []).append(name)
        return table

    @cached_property
    def _suggester(self) -> NameSuggester:
        return NameSuggester(self._names)


def _tolerant(form: Form) -> re.Pattern[str]:
    """The form whatever its spaces and capitals are, with any number of closing marks."""
    suffix = form.suffix.rstrip().rstrip(_MARKS)
    parts = (_loose(form.prefix.lstrip()), "(.+?)", _loose(suffix))
    pattern = rf"\s*{''.join(parts)}[\s{re.escape(_MARKS)}]*"
    return re.compile(pattern, re.IGNORECASE | re.DOTALL)


def _loose(text: str) -> str:
    return r"\s+".join(re.escape(part) for part in re.split(r"\s+", text))
