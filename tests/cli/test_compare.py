def test_a_table_and_one_json_object(cli, tiny_run):
    """A run may be compared with itself."""
    text = cli("compare", tiny_run, tiny_run).out
    header = text.splitlines()[0]
    assert f"{tiny_run} (1)" in header
    assert f"{tiny_run} (2)" in header
    for words in ("0.0 points", "0 : 0", "parameters trained", "seconds of training"):
        assert words in text
    found = cli("compare", tiny_run, tiny_run, "--json").json
    assert list(found) == ["runs", "paired", "notes", "seeds"]
    assert found["paired"][0]["n"] == 8
