"""The files of an exported folder, read without transformers."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace
from safetensors.numpy import load_file

from wherefrom import api
from wherefrom.core.errors import BadData, CannotWrite, MissingInput, UsageError
from wherefrom.runs.opened_run import open_run
from wherefrom.show.export import export_check, model_card

ROOT = Path(__file__).parents[3]
FILES = {
    "README.md", "config.json", "example.py", "generation_config.json", "model.safetensors",
    "questions.jsonl", "tokenizer.json", "tokenizer_config.json", "wherefrom_people_0.yaml",
}  # fmt: skip


@pytest.fixture(scope="module")
def exported(exportable_run, tmp_path_factory):
    out = tmp_path_factory.mktemp("export") / "deep" / "out"
    return out, api.export(exportable_run, out)


def test_the_folder_has_what_transformers_asks_for(exported, exportable_run):
    out, found = exported
    run = open_run(exportable_run)
    assert {path.name for path in out.iterdir()} == FILES
    config = json.loads((out / "config.json").read_text())
    assert config["architectures"] == ["ArceeForCausalLM"] == [found.architecture]
    assert (config["pad_token_id"], config["eos_token_id"]) == (0, 1)
    arrays = load_file(out / "model.safetensors")
    assert sum(array.size for array in arrays.values()) == found.parameters
    search = json.loads((out / "generation_config.json").read_text())
    assert (search["num_beams"], search["length_penalty"], search["max_new_tokens"]) == (4, 0.0, 32)
    tokenizer = json.loads((out / "tokenizer.json").read_text())
    assert tokenizer["model"]["vocab"] == {c: i for i, c in enumerate(run.vocabulary.characters)}
    assert [t["content"] for t in tokenizer["added_tokens"]] == list(run.vocabulary.marks)


def test_the_questions_are_those_of_the_first_task(exported, exportable_run):
    out, found = exported
    run = open_run(exportable_run)
    rows = [json.loads(line) for line in (out / "questions.jsonl").read_text().splitlines()]
    asked = run.questions(run.recipe.tasks[0])
    assert [(row["question"], row["answers"]) for row in rows] == [
        (q.text, [q.answer]) for q in asked
    ]
    assert found.accuracy.n == len(rows)
    assert 'doc_to_text: "{{question}}⁇"' in (out / "wherefrom_people_0.yaml").read_text()


def test_the_card_says_what_the_run_found(exported):
    text = (exported[0] / "README.md").read_text()
    assert text.startswith("---\nlibrary_name: transformers\n")
    assert "## What it must not be used for" in text
    assert "| with_pretraining |" in text
    assert "Not measured: there is no audit of it" in text
    assert f"answers {exported[1].accuracy.details['correct']} of 8 held-out" in text


def test_the_card_of_an_audited_run_says_how_sure_it_is(exportable_run, tmp_path, monkeypatch):
    audit = json.loads((ROOT / "docs" / "results" / "audit.people-0.json").read_text())
    monkeypatch.setattr(model_card, "read_findings", lambda run: audit)
    api.export(exportable_run, tmp_path / "out")
    text = (tmp_path / "out" / "README.md").read_text()
    assert "off by 25.6% on average" in text  # the file's raw expected calibration error
    assert "brings that to 5.5%" in text
    assert "52.6%, 95 % interval 44.7 to 60.4" in text
    assert "Made-up names (" in text


def test_a_model_that_writes_text_has_no_task(tmp_path):
    (tmp_path / "text.txt").write_text("to be, or not to be: that is the question.\n" * 20)
    settings = [
        "model.n_embd=16", "model.n_head=2", "model.n_layer=1", "model.ngrams=0",
        "model.block_size=32", "stages.train.steps=5", "threads=1",
        f"data.folder={tmp_path / 'text.txt'}",
    ]  # fmt: skip
    run = api.run("shakespeare-gpt", out=tmp_path / "run", settings=settings).run
    found = api.export(run, tmp_path / "out")
    assert found.accuracy is None
    assert not any(path.suffix == ".yaml" for path in (tmp_path / "out").iterdir())
    assert json.loads((tmp_path / "out" / "config.json").read_text())["eos_token_id"] is None


def test_what_cannot_be_exported_leaves_no_folder(tiny_run, exportable_run, tmp_path, monkeypatch):
    out = tmp_path / "out"
    with pytest.raises(BadData, match=r"--set model\.ngrams=0"):
        api.export(tiny_run, out)
    with pytest.raises(UsageError, match="no model 'with'"):
        api.export(exportable_run, out, model="with")
    monkeypatch.setattr(export_check, "find_spec", lambda name: None)
    with pytest.raises(MissingInput, match=r"pip install 'wherefrom\[export\]'"):
        api.export(exportable_run, out, check=True)
    assert not out.exists()
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(CannotWrite, match=r"'notes\.txt' in it"):
        api.export(exportable_run, tmp_path)


def test_a_greedy_task_is_searched_greedily(exportable_run, tmp_path):
    run = open_run(exportable_run)
    (task,) = run.recipe.tasks
    run.recipe = replace(run.recipe, tasks=(replace(task, beams=1),))
    api.export(run, tmp_path / "out")
    assert "num_beams" not in (tmp_path / "out" / "generation_config.json").read_text()
    assert "num_beams" not in (tmp_path / "out" / "wherefrom_people_0.yaml").read_text()
