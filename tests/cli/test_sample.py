def test_a_text_goes_on_from_its_prompt(cli, character_run):
    result = cli("sample", character_run, "--prompt", "to b", "--length", 30, "--temperature", 0)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("to b")
    assert result.out.endswith("\n")


def test_what_a_terminal_would_obey_is_escaped(cli, character_run):
    out = cli("sample", character_run, "--temperature", 50, "--length", 400).out
    assert out.replace("\n", "").isprintable()
