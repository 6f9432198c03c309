"""What a review's words do to the judgement, in a sentence."""


def test_a_word_speaks_for_a_side_only_if_its_effect_can_be_seen(run_js):
    code = "return given.map((effects) => tellEffects(effects));"
    ranked = [
        [{"word": "fine", "effect": 0.4}, {"word": "bad", "effect": -0.2}],
        [{"word": "bad", "effect": -0.005001}],
        [{"word": "charming", "effect": -0.0049}, {"word": "film", "effect": 0.001}],
        [],
    ]
    assert run_js({"ui/reviewing.js": "tellEffects"}, code, ranked) == [
        "“fine” weighs most; it speaks for “positive”.",
        "“bad” weighs most; it speaks against “positive”.",
        "No single word changes the judgement: it is the same without any one of them.",
        "It knows none of these words.",
    ]
