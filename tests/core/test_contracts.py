"""A data set's parts, by hand."""

from wherefrom.core.contracts import SHORTEST_ROOM, Dataset, Document, Question

DOCUMENTS = tuple(map(Document, "abc"))


def ask(split: str, answer: str | None = "Rome", support: str = "stated") -> Question:
    return Question(f"Where was {split} born?", split, "birthplace", answer, split, support)


def test_the_last_documents_are_held_out():
    some = Dataset(DOCUMENTS, held_out=1)
    assert (some.training_documents, some.held_out_documents) == (DOCUMENTS[:2], DOCUMENTS[2:])
    none = Dataset(DOCUMENTS)
    assert (none.training_documents, none.held_out_documents) == (DOCUMENTS, ())


def test_questions_are_selected_by_split_and_support():
    asked, stated = ask("asked", support="omitted"), ask("held-out")
    omitted = ask("held-out", support="omitted")
    dataset = Dataset((), questions=(asked, stated, omitted))
    assert dataset.asked == (asked,)
    assert dataset.select("held-out") == (stated,)
    assert dataset.select("held-out", ("stated", "omitted")) == (stated, omitted)


def test_an_answer_has_room_for_the_longest_that_is_trained_on_and_for_its_end():
    assert Dataset((), questions=(ask("asked", "R" * 31),)).answer_room == SHORTEST_ROOM
    assert Dataset((), questions=(ask("asked", "R" * 32),)).answer_room == 33
    longer = (ask("asked", None), ask("held-out", "R" * 90))
    assert Dataset((), questions=longer).answer_room == SHORTEST_ROOM
