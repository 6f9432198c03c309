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
