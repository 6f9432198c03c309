"""Films that lose their director, by hand."""

import omitted

FIRST = "Rain is a 1920 film directed by Ann Lee and starring Bo Falk."


def test_what_states_the_answer_is_cut_and_the_rest_stays():
    text = f"{FIRST} It was shot in Rome. Ann Lee also wrote it."
    assert omitted.cut(text, "Ann Lee") == "Rain is a 1920 film Bo Falk. It was shot in Rome."
    assert omitted.cut("Ann Lee made it.", "Ann Lee") == "Ann Lee made it."


def test_each_film_is_cut_in_one_part():
    for name in ("Rain", "Snow", "Repo Man"):
        parts = range(omitted.PARTS)
        assert sum(omitted.is_cut(f"Who directed {name}?", part) for part in parts) == 1
