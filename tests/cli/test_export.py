"""`wherefrom export`."""


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
