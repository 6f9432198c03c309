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


def test_sampled_errors_have_their_causes_tested(cli, sentiment_run):
    options = ("--errors", 2, "--sampled", "--seed", 3)
    found = cli("explain", sentiment_run, *options, "--json").json["explanations"]
    assert [len(each["causes"]) for each in found] == [6, 6]
    said = cli("explain", sentiment_run, *options).out
    assert said.count("tested: what the probability of '") == 2
    assert said.count(" of 2 errors, flips ") == 6
