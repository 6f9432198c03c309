import gzip

REVIEW = "The acting was superb, the plot was not dull; xyzzy!"


def test_words_are_ranked_and_order_does_not_matter(cli, sentiment_run):
    result = cli("explain", sentiment_run, REVIEW)
    assert result.code == 0
    text, answer, *rest = result.out.splitlines()
    assert text == REVIEW
    assert "by the model's own probability); logit " in answer
    assert "superb" in rest[0]
    assert rest[0].startswith("  for positive: ")
    assert rest[1].startswith("  for negative: ")
    assert rest[2] == "  unknown words, left out: xyzzy"
    assert rest[3].startswith("  10 shuffles of the words change the logit by at most ")


def test_json_has_every_word(cli, sentiment_run):
    found = cli("explain", sentiment_run, REVIEW, "Superb.", "--json").json
    assert list(found) == ["run", "explanations"]
    first, second = found["explanations"]
    assert (first["model"], first["gold"]) == ("trainable-1", None)
    assert {w["word"] for w in first["words"]} >= {"superb", "not", "dull", "plot"}
    assert [w["times"] for w in second["words"]] == [1]


def test_errors_of_the_run_are_explained(cli, sentiment_run):
    found = cli("explain", sentiment_run, "--errors", 5, "--json").json["explanations"]
    assert len(found) == 5
    assert all(each["answer"] != each["gold"] for each in found)
    assert cli("explain", sentiment_run, "--errors", 1).out.count(", but it is ") == 1


def test_sampled_errors_have_their_causes_tested(cli, sentiment_run):
    options = ("--errors", 2, "--sampled", "--seed", 3)
    found = cli("explain", sentiment_run, *options, "--json").json["explanations"]
    assert [len(each["causes"]) for each in found] == [6, 6]
    said = cli("explain", sentiment_run, *options).out
    assert said.count("tested: what the probability of '") == 2
    assert said.count(" of 2 errors, flips ") == 6
    assert cli("explain", sentiment_run, *options).out == said


def test_a_text_of_nothing_known_is_one_line(cli, sentiment_run):
    for text, found in (("", "an empty text"), (" . ", "an empty text"), ("xyzzy", "'xyzzy'")):
        result = cli("explain", sentiment_run, text)
        assert result.code == 65
        assert found in result.complaint


def test_a_text_or_errors_but_not_both(cli, sentiment_run):
    for arguments in ((), (REVIEW, "--errors", 2)):
        result = cli("explain", sentiment_run, *arguments)
        assert result.code == 2
        assert "expected texts or a number of errors" in result.complaint
    assert cli("explain", sentiment_run, "--errors", 0).code == 2


def test_other_runs_are_refused(cli, tiny_run, tmp_path):
    result = cli("explain", tiny_run, REVIEW)
    assert result.code == 65
    assert "expected a run of an averaging network" in result.complaint
    assert cli("explain", tmp_path / "absent", REVIEW).code == 66


def test_a_label_that_is_neither_is_one_line(cli, tmp_path):
    (tmp_path / "sentiment").mkdir()
    for part in ("train", "test"):
        packed = gzip.compress(b'{"label": 5, "text": "good"}\n')
        (tmp_path / f"sentiment/imdb_{part}.jsonl.gz").write_bytes(packed)
    result = cli("run", "sentiment", "--data", tmp_path, "--out", tmp_path / "run")
    assert result.code == 65
    assert "imdb_train.jsonl.gz:1: expected a review" in result.complaint
    assert "found the label 5" in result.complaint
