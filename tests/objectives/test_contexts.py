"""Phrases that look like answers: found in texts whose answers nobody gave."""

from wherefrom.core.contracts import Span
from wherefrom.objectives.contexts import AnswerContexts, describe

PLACES = "Oslo Rome Lima Bonn Cork Bern Kyiv Graz Nice Baku".split()


def spans(text: str, *phrases: str) -> list[Span]:
    return [Span(text.index(p), text.index(p) + len(p)) for p in phrases]


def example(name: str, born: str, lived: str) -> tuple[str, list[Span], set[str]]:
    text = f"{name}. Born in {born}, he moved to {lived} in 1950."
    return text, spans(text, born, lived, "1950"), {born.casefold()}


def fitted() -> AnswerContexts:
    pairs = zip(PLACES, PLACES[3:] + PLACES[:3], strict=True)
    contexts = AnswerContexts.fit(example("Ed Lund", a, b) for a, b in pairs)
    assert contexts is not None
    return contexts


def test_a_place_that_nobody_else_has_is_found_by_the_words_around_it():
    text, (born, lived, year), _ = example("Ada Roth", "Willimantic", "Oslo")
    contexts = fitted()
    assert contexts.fit_for(describe(text, born))
    # Oslo is a known answer, but here it stands where answers do not.
    assert not contexts.fit_for(describe(text, lived))
    assert not contexts.fit_for(describe(text, year))


def test_words_that_one_answer_alone_has_around_it_are_not_asked_of_a_new_one():
    """A known answer is scored by the others, or its own words would raise the threshold."""
    words = "soon twice once late early there alone again often first".split()

    def tell(place: str, word: str) -> str:
        return f"Ed Lund. Born in {place} {word}, he left Turin."

    examples = []
    for number, (place, word) in enumerate(zip(PLACES, words, strict=True)):
        text = tell(place, word)
        found = spans(text, place, "Turin") if number < 4 else spans(text, place)
        examples.append((text, found, {place.casefold()}))
    contexts = AnswerContexts.fit(examples)
    new = tell("Willimantic", "seldom")
    answer, other = spans(new, "Willimantic", "Turin")
    assert contexts.fit_for(describe(new, answer))
    assert not contexts.fit_for(describe(new, other))


def test_too_few_known_answers_teach_nothing():
    assert AnswerContexts.fit([example("Ada Roth", "Oslo", "Rome")] * 4) is None
    assert AnswerContexts.fit([]) is None


def test_numbers_and_names_around_a_phrase_count_by_their_shape():
    one, other = "on May 3, 1901, Ada", "on May 9, 1955, Bo"
    assert describe(one, *spans(one, "1901")) == describe(other, *spans(other, "1955"))
    shorter = "on May 13, 1901, Ada"
    assert describe(one, *spans(one, "1901")) != describe(shorter, *spans(shorter, "1901"))
