"""Reports as files: the same bytes each time, whole or not there, and every kind of bad input."""

import os
from pathlib import Path

import pytest

from wherefrom import api
from wherefrom.answering.inspector import open_inspector
from wherefrom.auditing.audit_findings import FINDINGS, Audit
from wherefrom.core.errors import BadData, Damaged, UsageError
from wherefrom.experiments.recipes.recipe_catalogue import adjust, get_recipe
from wherefrom.models.gpt import GPT
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.layout import ANSWERED
from wherefrom.runs.opened_run import open_run
from wherefrom.show.page import engine_data
from wherefrom.show.page import report_page as report
from wherefrom.show.page.judged_answers import collect_answers
from wherefrom.show.page.making import command_for


def test_the_same_run_gives_the_same_bytes_wherever_it_lies(report_file, own_run):
    """In the run's own folder, unless told otherwise."""
    found = api.write_report(open_run(own_run))
    assert found.path == str(own_run / "report.html")
    assert [p.name for p in own_run.glob("*.html")] == ["report.html"]
    assert (own_run / "report.html").read_bytes() == report_file.read_bytes()
    assert str(own_run) not in report_file.read_text()
    assert found.bytes == report_file.stat().st_size
    assert found.models == ("with_pretraining", "without_pretraining")
    assert found.notes == ()


def test_a_report_shows_the_audit_and_asks_only_for_what_it_lacks(audited, report_file, tmp_path):
    """One pair of models was retrained."""
    unaudited = report_file.read_text()
    assert "wherefrom audit RUN --pairs 8" in unaudited
    api.write_report(audited.run, tmp_path / "audited.html")
    page = (tmp_path / "audited.html").read_text()
    assert "wherefrom audit RUN --pairs 8" not in page
    assert "calibration slope" in page
    assert f"{audited.findings.confidence.calibrated.brier.score:.3f}" in page


def test_what_the_evaluation_kept_is_not_computed_again(own_run, monkeypatch):
    """A report of a finished run never runs the model, and shows what the model would compute."""
    with monkeypatch.context() as patched:
        patched.setattr(GPT, "forward", lambda *_, **__: pytest.fail("the model was run"))
        kept = collect_answers(open_inspector(open_run(own_run)))
        api.write_report(own_run)
    rows = RunFolder(own_run).read_jsonl(ANSWERED)
    wanted = [q.text for q in open_run(own_run).dataset.questions if q.split != "asked"]
    assert sorted(row["question"] for row in rows) == sorted(wanted)
    for left in ([row | {"features": {"older": 1.0}} for row in rows], rows[1:]):
        RunFolder(own_run).write_jsonl(ANSWERED, left)
        computed = collect_answers(open_inspector(open_run(own_run)))
        for a, b in zip(kept.held_out, computed.held_out, strict=True):
            assert (a.reply.answer, a.reply.answered) == (b.reply.answer, b.reply.answered)
            assert a.features == pytest.approx(b.features, abs=1e-3)


def test_a_report_replaces_no_file_of_a_run_and_no_device(tiny_run, tmp_path):
    before = (tiny_run / "run.json").read_bytes()
    os.mkfifo(tmp_path / "pipe")
    refused = {
        tiny_run / "run.json": "expected a file outside of the run",
        tiny_run / "models" / "page.html": "expected a file outside of the run",
        tmp_path / "pipe": "expected a file, found a device or a pipe",
        Path(""): "--out: expected a file such as report.html, found",
    }
    for out, said in refused.items():
        with pytest.raises(UsageError, match=said):
            api.write_report(tiny_run, out=out)
    with pytest.raises(UsageError, match="precision: expected auto"):
        api.write_report(tiny_run, out=tmp_path / "page.html", precision="int4")
    assert (tiny_run / "run.json").read_bytes() == before


def test_several_relations_have_rows_of_their_own(relations_run, tmp_path):
    values = report.describe_run(open_run(relations_run))
    assert len(values["relations"]) == 2
    accuracy = values["pictures"][0]
    assert all(name in str(accuracy.chart) for name in values["relations"])
    api.write_report(relations_run, tmp_path / "relations.html")
    page = (tmp_path / "relations.html").read_text()
    for relation in values["relations"]:
        assert f'<span class="asked-for">{relation}</span>' in page


# --- bad input -------------------------------------------------------------------------------


def test_a_model_that_cannot_be_embedded_leaves_the_asking_out(own_run, monkeypatch, tmp_path):
    def refuse(*_, **__):
        raise BadData("the model has 900 MB as fp32; a page holds 10 MB: use --precision int8")

    monkeypatch.setattr(engine_data, "pack_models", refuse)
    found = api.write_report(own_run, tmp_path / "large.html")
    page = (tmp_path / "large.html").read_text()
    assert found.models == ()
    assert found.notes == (
        "The model is not in this page: the model has 900 MB as fp32; a page holds 10 MB: use "
        "--precision int8",
    )
    assert "a page holds 10 MB" in page
    assert 'id="question"' not in page
    assert 'id="risk"' in page  # what the slider does to held-out people needs no model
    assert "worker-src &#39;none&#39;" in page


# --- the command that makes it again -------------------------------------------------------------


@pytest.mark.parametrize(
    "settings", [[], ["seed=3", "data.held_out=20", "stages.pretrain.steps=7", "model.bias=true"]]
)
def test_the_command_gives_the_same_recipe(settings):
    recipe = adjust(get_recipe("people"), settings=settings)
    words = command_for(recipe).split()
    assert words[:3] == ["wherefrom", "run", "people"]
    given = [words[i + 1] for i, word in enumerate(words) if word == "--set"]
    seed = int(words[words.index("--seed") + 1]) if "--seed" in words else None
    assert api.build_recipe("people", settings=given, seed=seed) == recipe


def test_a_users_files_without_calibration_are_named_without_their_folders(facts_folder, tmp_path):
    run = open_run(facts_folder / "run")
    command = command_for(run.recipe)
    assert " --corpus corpus.txt --questions questions.tsv " in command
    values = report.describe_run(run)
    assert (values["slider"], bool(values["embedded"])) == (None, True), "without calibration"
    assert [p.name for p in values["pictures"]] == ["accuracy", "learning"]
    api.write_report(run, tmp_path / "report.html")
    assert str(facts_folder.parent) not in (tmp_path / "report.html").read_text()


def test_a_planned_run_is_planned_again(facts_folder):
    """A plan sets more than the command line can: what the user gave is the command."""
    recipe = open_run(facts_folder / "run").recipe
    command = command_for(recipe, {"minutes": 1.5, "changes": {"model.n_embd": "64"}})
    assert "--minutes 1.5 --corpus corpus.txt --questions questions.tsv --set data." in command
    assert command.endswith("--set model.n_embd=64")
    assert "stages" not in command


def test_findings_of_another_shape_are_damage(own_run):
    for found in ({"format_version": Audit.format_version}, {"confidence": 5}):
        RunFolder(own_run).write_json(FINDINGS, {"format_version": Audit.format_version} | found)
        with pytest.raises(Damaged, match=r"audit\.json: audit"):
            api.write_report(own_run)
