"""The table of perplexities, drawn from figures made up by hand."""

from wherefrom.show.terminal.perplexity_text import perplexity_table
from wherefrom.show.terminal.result_tables import layout


def measured(perplexity: float | None, **more) -> dict:
    part = {"share_of_loss": 0.25, "share": 0.5}
    return {
        "characters": 1753, "n": 404, "perplexity": 120.7, "interval": [92.4, 158.6],
        "nats_per_target": 4.793, "bits_per_target": 6.915, "bits_per_character": 1.594,
        "nats_per_character": 1.105,
        "unknown_share": 0.252, "charged": {"perplexity": perplexity, "bits_per_character": 4.87},
        "classes": {"capitals": part}, "preprocessed": [], "temperatures": [],
    } | more  # fmt: skip


def test_units_and_classes_stand_in_rows():
    lines = layout(perplexity_table("run (best)", "word", {"a": measured(2.5e6)}, {}, "spelt"))
    cells = {line.strip().rsplit("  ", 1)[0].strip(): line.split("  ")[-1] for line in lines}
    assert "run (best): per word" in lines
    assert cells["original characters"] == "1,753"
    assert cells["words"] == "404"
    assert cells["perplexity, unknowns spelt"] == "2,500,000.00"
    assert cells["unknown words"].strip() == "25.2 %"
    assert cells["capitals"].strip() == "25.0 % (50.0 %)"
    assert len([line for line in lines if not line.startswith(" ")]) == 3  # two titles and a gap


def test_what_was_asked_besides_has_sections():
    chain = {
        "steps": ["lower", "wrap40"], "changed": 1200, "per_character_seen": 14.33,
        "per_original_character": 14.0, "charged_per_original_character": 15.0,
    }  # fmt: skip
    more = {"preprocessed": [chain], "temperatures": [{"temperature": 1.5, "perplexity": 13.8}]}
    texts = {"a": measured(None, **more), "b": measured(1e12, classes={}, **more)}
    lines = layout(perplexity_table("run", "character", texts, {}, "spelt"))
    text = "\n".join(lines)
    for words in ("14.33 / 14.00 / 15.00; 1,200", "1.5", "too large", "1.0e+12"):
        assert words in text
    (capitals,) = [line for line in lines if "capitals" in line]
    assert capitals.endswith("-")


def test_every_text_has_its_gap_over_the_first():
    gaps = {"b": {"digits": 0.5, "space": -0.25}, "c": {"space": 1.0}}
    texts = {name: measured(None) for name in "abc"}
    lines = layout(perplexity_table("run", "character", texts, gaps, "spelt"))
    begin = lines.index("nats per target, compared with a")
    assert [line.split() for line in lines[begin + 1 :]] == [
        ["digits", "+0.500", "-"], ["space", "-0.250", "+1.000"], ["total", "+0.250", "+1.000"],
    ]  # fmt: skip
