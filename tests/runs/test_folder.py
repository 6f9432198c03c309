"""The run folder's files: written, read back, and refused when they are something else."""

import json
from dataclasses import replace

import pytest

from wherefrom.core.contracts import Dataset, Document, Note, Question, Span
from wherefrom.core.errors import Mismatch, MissingInput
from wherefrom.core.recipe import Recipe
from wherefrom.core.vocabulary import Vocabulary
from wherefrom.experiments.recipes.recipe_catalogue import RECIPES, adjust, get_recipe
from wherefrom.runs.folder import RunFolder, decode_note, versions
from wherefrom.runs.kept import describe, splits

QUESTIONS = (
    Question("Where was Ann?", "Ann", "birthplace", "Oslo", "asked"),
    Question("Where was Bo?", "Bo", "birthplace", "Rome", "held-out"),
    Question("Where was Cy?", "Cy", "birthplace", "Rome", "held-out", "none"),
    Question("Where was Di?", "Di", "birthplace", "Oslo", "held-out"),
)
DATASET = Dataset(
    (Document("Ann in Oslo", Span(0, 3)), Document("Bo, Rome", Span(0, 2))), (), QUESTIONS
)


@pytest.fixture
def folder(tmp_path) -> RunFolder:
    return RunFolder(tmp_path / "deep" / "run")


@pytest.fixture
def recipe(tiny_settings) -> Recipe:
    return adjust(get_recipe("people"), settings=tiny_settings)


# --- the recipe ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_comes_back_equal(folder, name):
    assert not folder.exists()
    folder.write_recipe(get_recipe(name))
    assert folder.exists()
    assert folder.read_recipe() == get_recipe(name)
    folder.check_recipe(get_recipe(name))


def test_the_run_file_says_its_format_and_what_made_it(folder, recipe):
    folder.write_recipe(recipe)
    contents = json.loads((folder.path / "run.json").read_text())
    assert contents["format_version"] == 2
    assert contents["recipe"]["model"]["n_embd"] == 16
    assert {"python", "torch", "numpy", "wherefrom", "machine"} <= contents["versions"].keys()
    assert contents["versions"] == versions()


def test_what_is_no_run_folder_is_told_so(tmp_path):
    with pytest.raises(MissingInput, match="no such folder; 'wherefrom run' makes one"):
        RunFolder(tmp_path / "none").read_recipe()
    with pytest.raises(MissingInput, match=r"no run\.json in it"):
        RunFolder(tmp_path).read_recipe()


@pytest.mark.parametrize("contents", [{}, {"format_version": 1, "recipe": {}}])
def test_another_format_is_refused(folder, contents):
    folder.write_json("run.json", contents)
    with pytest.raises(Mismatch, match="expected format_version 2, found"):
        folder.read_recipe()


def test_a_recipe_of_another_version_is_refused(folder, recipe):
    folder.write_recipe(recipe)
    contents = folder.read_json("run.json")
    contents["recipe"]["model"]["n_brain"] = 1
    folder.write_json("run.json", contents)
    with pytest.raises(Mismatch, match=r"run\.json: .*n_brain"):
        folder.read_recipe()


# --- data ------------------------------------------------------------------------------------


def test_data_lies_there_to_be_read(folder):
    vocabulary = Vocabulary.from_text(["Ann in Oslo", "Bo, Rome"])
    folder.keep_data(DATASET, vocabulary)
    path = folder.path
    assert (path / "corpus" / "documents.txt").read_text() == "Ann in Oslo\nBo, Rome\n"
    assert tuple(json.loads((path / "vocab.json").read_text())) == vocabulary.characters
    assert json.loads((path / "splits.json").read_text()) == {
        "asked": {"stated": ["Ann"]},
        "held-out": {"stated": ["Bo", "Di"], "none": ["Cy"]},
    }
    assert splits(DATASET)["held-out"]["none"] == ["Cy"]
    folder.check_data(DATASET)


@pytest.mark.parametrize(
    ("other", "field"),
    [
        (replace(DATASET, documents=DATASET.documents[:1]), "documents: the run's data has 2"),
        (replace(DATASET, questions=QUESTIONS[:3]), "questions: the run's data has 4, asked for 3"),
        (replace(DATASET, held_out=1), "held_out_documents"),
        (replace(DATASET, documents=(*DATASET.documents[:1], Document("Bo, Roma"))), "sha256"),
        (replace(DATASET, documents=(Document("Ann in Oslo"), DATASET.documents[1])), "sha256"),
    ],
)
def test_other_data_is_refused_by_what_differs(folder, other, field):
    folder.keep_data(DATASET, Vocabulary.from_text(["abc"]))
    with pytest.raises(Mismatch, match=field):
        folder.check_data(other)


def test_ids_and_accepted_answers_count_only_where_there_are_any():
    """The hash is one that was written before documents and questions had ids."""
    question = Question("Where was A born?", "A", "b", "Oslo", "asked")
    plain = Dataset((Document("Ann, Oslo", Span(0, 3)), Document("x")), (), (question,))
    digest = describe(plain)["sha256"]
    assert digest == "805157fe20884a2d9e62f12fa6c6c16f833fd756aeb67787dc4801fa465ffd44"
    named = replace(plain, documents=(replace(plain.documents[0], id="a"), plain.documents[1]))
    several = replace(plain, questions=(replace(question, accepted=("Moss",)),))
    assert len({digest, describe(named)["sha256"], describe(several)["sha256"]}) == 3


# --- the manifest ----------------------------------------------------------------------------


def test_data_that_are_damaged_are_written_again_and_others_are_not(folder):
    vocabulary = Vocabulary.from_text(["Ann in Oslo", "Bo, Rome"])
    folder.keep_data(DATASET, vocabulary)
    whole = {name: folder.read(name) for name in folder.manifest.files}
    others = replace(DATASET, documents=DATASET.documents[:1])
    for names in (["corpus/corpus.json"], ["corpus/dataset.json.gz", "vocab.json"], list(whole)):
        for name in names:
            (folder.path / name).write_bytes(b"{}")
        with pytest.raises(Mismatch):
            RunFolder(folder.path).keep_data(others, vocabulary)
        RunFolder(folder.path).keep_data(DATASET, vocabulary)
        again = RunFolder(folder.path)
        assert {name: again.read(name) for name in whole} == whole


def test_notes_read_back_as_they_were_written(folder):
    notes = [Note("Ann", "birthplace", "Oslo", 0, Span(7, 11), 0.9)]
    assert folder.read_notes() == ()
    folder.write_notes(notes)
    assert folder.read_notes() == tuple(notes)
    (row,) = folder.read_note_rows()
    assert decode_note(row) == notes[0]
