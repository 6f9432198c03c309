"""`wherefrom export`."""

import pytest


def test_it_says_what_it_wrote(cli, exportable_run, tmp_path):
    result = cli("export", exportable_run, "--out", tmp_path / "out")
    assert (result.code, result.err) == (0, "")
    first, second = result.out.splitlines()
    assert first.startswith(f"{tmp_path / 'out'}: with_pretraining as ArceeForCausalLM, ")
    assert second.endswith("of 8 held-out questions right")


def test_json_and_another_model(cli, exportable_run, tmp_path):
    options = ("--model", "without_pretraining", "--out", tmp_path / "out", "--json")
    result = cli("export", exportable_run, *options)
    assert result.json["model"] == "without_pretraining"
    assert result.json["check"] is None


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("{run}",), 2, "Missing option '--out'"),
        (("{run}", "--out", "{folder}"), 73, "found 'file' in it"),
        (("{run}", "--out", "{folder}/file"), 73, "a file stands where a folder must be"),
        (("{tiny}", "--out", "{folder}/new"), 65, "'wherefrom run people --set model.ngrams=0"),
        (("{folder}", "--out", "{folder}/new"), 66, "expected a run folder, found no run.json"),
    ],
)
def test_bad_input_is_one_line(cli, exportable_run, tiny_run, tmp_path, arguments, code, words):
    (tmp_path / "file").write_text("")
    places = {"run": exportable_run, "tiny": tiny_run, "folder": tmp_path}
    result = cli("export", *(str(each).format(**places) for each in arguments))
    assert result.code == code
    assert words in result.complaint
