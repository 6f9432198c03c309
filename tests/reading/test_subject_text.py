"""What relations share of a text: the same object, and what each would read alone."""

from wherefrom.reading import subject_text
from wherefrom.reading.candidates import AnswerProfile, Line
from wherefrom.reading.context_features import Context

TEXT = "Jo Ray (born 1950) of Ray, Peru, saw the Isle of Man. Later in Rome, Jo L. Ray sang."
ANSWERS = (["Oslo"], ["1900"], ["Ray", "Bay of Fundy"], ["Peru"])


def read(profile: AnswerProfile) -> tuple[Line, list[list[str]]]:
    line = Line(TEXT, "Jo Ray", profile)
    context = Context(line, profile.known, frozenset())
    return line, [context.features(c) for c in line.candidates]


def test_relations_share_a_text_and_read_what_they_would_read_alone():
    profiles = [AnswerProfile.of(answers) for answers in ANSWERS]
    alone = []
    for profile in profiles:
        subject_text._read.cache_clear()
        alone.append(read(profile))
    together = [read(profile) for profile in profiles]
    assert len({id(line.read) for line, _ in together}) == 1
    for (line, features), (own, own_features) in zip(together, alone, strict=True):
        assert line.candidates == own.candidates
        assert features == own_features


def test_parentheses_and_the_subjects_name():
    text = Line(TEXT, "Jo Ray", AnswerProfile.of(["Oslo"])).read
    inside = [token for token, depth in zip(text.tokens, text.depths, strict=True) if depth]
    assert inside == ["(", "born", "1950"]
    names = [token for token, part in zip(text.tokens, text.is_name, strict=True) if part]
    assert names == ["Jo", "Ray", "Ray", "Jo", "L.", "Ray"]
