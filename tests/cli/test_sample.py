from wherefrom import api


def test_a_text_goes_on_from_its_prompt(cli, character_run):
    result = cli("sample", character_run, "--prompt", "to b", "--length", 30, "--temperature", 0)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("to b")
    assert result.out.endswith("\n")


def test_the_same_seed_writes_the_same_and_another_another(cli, character_run):
    def written(*options):
        return cli("sample", character_run, "--length", 60, *options).out

    assert written() == written("--prompt", "Wh", "--temperature", 0.8, "--top-k", 0, "--seed", 0)
    assert written() != written("--seed", 1)
    assert written() != written("--model", "homework")
    assert written("--top-k", 1) == written("--temperature", 0)


def test_what_a_terminal_would_obey_is_escaped(cli, character_run):
    out = cli("sample", character_run, "--temperature", 50, "--length", 400).out
    assert out.replace("\n", "").isprintable()


def test_markers_are_explained_where_the_model_writes_them(cli, tiny_run, monkeypatch):
    monkeypatch.setattr(api, "sample", lambda *_: iter("o\u2047Oslo\u2047\u25a1"))
    result = cli("sample", tiny_run, "--prompt", "Wh")
    assert result.out == "Who\u2047Oslo\u2047\u25a1\n"
    first, second = result.err.splitlines()
    assert first.startswith(
        "\u2047 is a marker of the model's: it stands before and after an answer"
    )
    assert second.startswith("\u25a1 is a marker of the model's: it fills a row")
    monkeypatch.setattr(api, "sample", lambda *_: iter("o is"))
    assert cli("sample", tiny_run).err == ""
