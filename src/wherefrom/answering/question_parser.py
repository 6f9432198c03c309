"""Parsing a question into its form, its subject, and the relation that it asks for.

The model was taught a few forms ("Where was X born?") and reads every character, so "where was
amos  karlsson born" would be a different question to it. The parser therefore corrects spaces,
capitals and the closing mark to the form's own spelling, and a known name to the text's spelling.
A question that is in the data set is left as it is. A question in other words is understood if it
names a known subject and its words are those of one form; otherwise the nearest forms are offered.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from wherefrom.answering.name_suggestions import NameSuggester
from wherefrom.core.contracts import Question
from wherefrom.core.errors import BadData
from wherefrom.core.forms import Form, ParsedQuestion, forms_around, match
from wherefrom.reading.index import fold

_SHOWN = 3  # forms that an error shows to somebody who asked in another form
_MARKS = "?.!"
_AROUND = '?.!,;:"“”'  # marks around a word that are not part of it
_MOST_WORDS = 40  # of a question in other words
# Words that do not tell one question from another: "Who was" and "What is" ask for the same.
_NEUTRAL = frozenset(
    "what what's who who's which is was are were do does did the a an of please tell me".split()
)
_ASKING = (_NEUTRAL - {"the", "a", "an", "of"}) | frozenset(
    "where when how why whose hello".split()
)
_NAME_WORDS = 5


class QuestionParser:
    """Parses questions that have a form of the asked questions."""

    def __init__(
        self,
        asked: Sequence[Question],
        names: Iterable[str] = (),
        others: Iterable[Question] = (),
    ) -> None:
        """`names` are the subjects of the text, `others` are questions that are not trained on."""
        self.forms = forms_around([(question.text, question.subject) for question in asked])
        self._patterns = {form: _tolerant(form) for form in self.forms}
        self._relations: dict[Form, str] = {}
        self.subjects: list[str] = []  # of the asked questions, as the questions spell them
        for question in asked:
            if found := match(self.forms, question.text):
                self._relations.setdefault(found[0], question.relation)
                self.subjects.append(found[1])
        if not self.subjects:
            raise BadData(
                f"asked questions: expected several questions of one form, such as 'Where was "
                f"... born?', found no common form in {len(asked)} questions"
            )
        # A name that is spelt as in a question of the data set is not changed.
        held = (found[1] for q in others if (found := match(self.forms, q.text)))
        known = (*self.subjects, *names, *held)
        self._names = dict.fromkeys(name for name in known if name.strip())

    def parse(self, text: str) -> ParsedQuestion:
        """Parse a question; BadData shows the forms that were taught if it has none of them."""
        found = self._match(text)
        offered: list[str] = []
        if found is None:
            found, offered = self._match_in_other_words(text)
        if found is None:
            taught = " or ".join(f"'{form.fill('...')}'" for form in self.forms[:_SHOWN])
            only = "only this form" if len(self.forms) == 1 else f"{len(self.forms)} forms"
            meant = " or ".join(f"'{question}'" for question in offered)
            advice = f"ask {meant}" if meant else f"the model was taught {only}"
            raise BadData(
                f"{text!r}: expected a question like {taught}, found another form; {advice}"
            )
        form, typed = found
        return self.fill(form, self._spell(form, typed))

    def interpret(self, line: str) -> tuple[list[str], list[str]]:
        """What somebody may mean who types a line: questions to ask, or else questions to offer.

        A name alone asks one question of each relation.
        """
        if self._match(line):
            return [line], []
        found, offered = self._match_in_other_words(line)
        if found:
            return [line], []
        first = {relation: form for form, relation in reversed(self._relations.items())}
        if _is_bare_name(line):
            return [form.fill(line.strip()) for form in reversed(first.values())], []
        return [], offered

    def fill(self, form: Form, subject: str) -> ParsedQuestion:
        """The question of this form about a subject."""
        # If closer forms match all questions of this form, its relation is not known.
        return ParsedQuestion(form.fill(subject), form, subject, self._relations.get(form, ""))

    @property
    def relations(self) -> frozenset[str]:
        """The relations that the forms ask for."""
        return frozenset(self._relations.values())

    @property
    def names(self) -> tuple[str, ...]:
        """Every known name, as it is spelt; where spellings differ, the first has precedence."""
        return tuple(self._names)

    def knows(self, subject: str) -> bool:
        return subject in self._names

    def suggest(self, subject: str) -> tuple[str, ...]:
        """Known names that are spelt like this one, the closest first; none if it is known."""
        if self.knows(subject):
            return ()
        return self._suggester.suggest(subject)

    def _match(self, text: str) -> tuple[Form, str] | None:
        """The closest form, and the subject in it.

        An exact match with a known name always wins. Otherwise the longer form wins: "Who is the
        Mother of Ada?" is closer to "Who is the mother of ...?" than to "Who is ...?", although
        it matches only the latter exactly.
        """
        exact = match(self.forms, text)
        if exact and exact[1] in self._names:
            return exact
        loose = self._match_loosely(text)
        if exact and (loose is None or loose[0].length <= exact[0].length):
            return exact
        return loose

    def _match_loosely(self, text: str) -> tuple[Form, str] | None:
        """The closest form when spaces, capitals and the closing mark are ignored."""
        found = [
            (form, matched[1])
            for form, pattern in self._patterns.items()
            if (matched := pattern.fullmatch(text)) and _is_name(matched[1])
        ]
        return max(found, key=lambda pair: pair[0].length) if found else None

    def _match_in_other_words(self, text: str) -> tuple[tuple[Form, str] | None, list[str]]:
        """The one form that has the same words around a known name; else questions to offer."""
        words = text.split()[:_MOST_WORDS]
        name, before, behind = self._find_name(words)
        if not name:
            close = self.suggest(" ".join(words)) if words else ()
            return None, [form.fill(close[0]) for form in self.forms[:_SHOWN] if close]
        own = _telling(before + behind)
        same = [form for form in self.forms if _telling(_around(form)) == own]
        if len(self.forms) == 1 and not before + behind:
            same = list(self.forms)
        # "Who is Ada the mother of?" asks the other way round.
        turned = "of" in map(_bare, before[:-1] + behind)
        if len(same) == 1 and not (turned and same[0].prefix.split()[-1:] == ["of"]):
            return (same[0], name), []
        near = sorted(self.forms, key=lambda form: -len(own & _telling(_around(form))))
        return None, [form.fill(name) for form in near[:_SHOWN]]

    def _find_name(self, words: Sequence[str]) -> tuple[str, list[str], list[str]]:
        """The longest known name among the words of a question, and the words around it."""
        for length in range(len(words), 0, -1):
            for start in range(len(words) - length + 1):
                typed = " ".join(words[start : start + length])
                bare = typed.strip(_AROUND)
                if length < len(words) and fold(bare) in _NEUTRAL:  # a film may be called "Who"
                    continue
                for name in (typed, bare, f"{bare}.", bare.removesuffix("'s").removesuffix("’s")):
                    if len(spellings := self._by_fold.get(fold(name), ())) == 1:
                        return spellings[0], list(words[:start]), list(words[start + length :])
        return "", [], []

    def _spell(self, form: Form, typed: str) -> str:
        """A known name as the text spells it; any other name with single spaces.

        Somebody may have typed the closing mark twice, or the only mark may belong to the name
        ("Jr."), so the name is looked up with and without it.
        """
        if typed in self._names:
            return typed
        typed = " ".join(typed.split())
        bare = typed.rstrip(f"{_MARKS} ")
        for name in (typed, bare, f"{bare}."):
            if spellings := self._by_fold.get(fold(name), ()):
                return spellings[0] if len(spellings) == 1 else name
        closed = form.suffix.rstrip().endswith(tuple(_MARKS))
        # A full stop stays, since it may end an abbreviation; no name ends in the other marks.
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


def _around(form: Form) -> list[str]:
    return form.prefix.split() + form.suffix.split()


def _telling(words: Iterable[str]) -> frozenset[str]:
    """The words that say what is asked for."""
    return frozenset(word for word in map(_bare, words) if word) - _NEUTRAL


def _bare(word: str) -> str:
    return fold(word.strip(_AROUND))


def _is_name(text: str) -> bool:
    """Whether there is more than spaces and closing marks."""
    return bool(text.strip().strip(f"{_MARKS} "))


def _is_bare_name(line: str) -> bool:
    """Whether a line may be a name: a few words, none of which asks anything."""
    words = [_bare(word) for word in line.split()]
    return 0 < len(words) <= _NAME_WORDS and "?" not in line and not _ASKING & set(words)


def _tolerant(form: Form) -> re.Pattern[str]:
    """A pattern for the form with any spaces and capitals, and any number of closing marks."""
    suffix = form.suffix.rstrip().rstrip(_MARKS)
    parts = (_loose(form.prefix.lstrip()), "(.+?)", _loose(suffix))
    pattern = rf"\s*{''.join(parts)}[\s{re.escape(_MARKS)}]*"
    return re.compile(pattern, re.IGNORECASE | re.DOTALL)


def _loose(text: str) -> str:
    return r"\s+".join(re.escape(part) for part in re.split(r"\s+", text))
