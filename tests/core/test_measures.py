from wherefrom.core.measures import is_share, measured, unit_of


def test_a_result_has_its_value_under_the_name_of_its_measure():
    assert measured({"n": 80, "accuracy": 0.5, "correct": 40}) == ("accuracy", 0.5)
    assert measured({"perplexity": 21, "nats_per_target": 3.0}) == ("perplexity", 21.0)
    assert measured({"recall": 0.25, "n": 4}) == ("recall", 0.25)  # none of those that are listed


def test_perplexity_and_bits_are_no_shares():
    assert [is_share(m) for m in ("accuracy", "precision", "perplexity", "bits_per_character")] == [
        True, True, False, False,
    ]  # fmt: skip


def test_the_unit_of_a_perplexity_is_seen_from_what_it_counts():
    assert unit_of({"perplexity": 5.0, "characters": 10}) == "character"
    assert unit_of({"perplexity": 5.0, "bigrams": 10}) == "word"
    assert unit_of({"perplexity": 5.0}) is None
