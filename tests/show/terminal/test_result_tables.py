from wherefrom.evaluation.baselines import OPEN_BOOK
from wherefrom.show.terminal.result_tables import (
    draw,
    explain_abstention,
    explain_notes,
    layout,
    pairs_table,
    results_table,
    runs_table,
    seeds_table,
)

PEOPLE = {
    "majority": {"accuracy": 0.075, "interval": [0.0348, 0.1541], "n": 80, "correct": 6},
    "with_pretraining": {"accuracy": 0.9875, "interval": [0.9325, 0.9978], "n": 80},
    "answered_share": {"answered_share": 0.95, "interval": [0.8784, 0.9804], "n": 80},
    "precision": {"precision": 1.0, "interval": [0.9519, 1.0], "n": 76},
    "refused_without_text": {"refused_share": 1.0, "interval": [0.9398, 1.0], "n": 60},
    "refused_omitted": {"refused_share": 0.75, "interval": [0.4677, 0.9111], "n": 12},
}
BIGRAM = {"network": {"perplexity": 21.4785, "interval": [20.6498, 22.301], "n": 3130}}


PLACE, HAND = "Where was X born?", "Which hand did X use?"
RELATIONS = PEOPLE | {
    "majority": PEOPLE["majority"] | {"by_relation": {
        PLACE: {"accuracy": 0.05, "interval": [0.01, 0.16], "n": 40},
        HAND: {"accuracy": 0.1, "interval": [0.04, 0.23], "n": 40},
    }},
    "answered_share": {"answered_share": 0.25, "interval": [0.2, 0.3], "n": 80, "by_relation": {
        PLACE: {"answered_share": 0.5, "interval": [0.4, 0.6], "n": 40},
        HAND: {"answered_share": 0.0, "interval": [0.0, 0.1], "n": 40,
               "why_not": "no threshold reaches 90 %"},
    }},
}  # fmt: skip


def test_perplexity_is_no_percentage():
    assert layout(results_table(BIGRAM))[2] == "  network  21.48  [20.65, 22.30]  n=3130"
    told = {"network": BIGRAM["network"] | {"nats_per_target": 3.067}}
    assert layout(results_table(told))[2].endswith("  n=3130, 3.067 nats each")
    bits = {"network": {"bits_per_character": 1.5, "interval": [1.25, 1.75], "n": 9}}
    assert layout(results_table(bits))[2] == "  network  1.50   [1.25, 1.75]  n=9"


def test_means_over_seeds():
    results = {
        "model": {
            "accuracy": 0.9, "interval": [0.8, 1.0], "worst": 0.85, "n": 5, "values": [0.9] * 5,
            "by_relation": {"hand": {"accuracy": 0.8, "interval": None, "worst": 0.7, "n": 5}},
        },
        "network": {"perplexity": 21.0, "interval": None, "worst": 21.0, "n": 1, "values": [21.0]},
    }  # fmt: skip
    assert layout(seeds_table(results)) == [
        "             mean  95 % interval   worst  seeds",
        "accuracy",
        "  model    90.0 %  [80.0, 100.0]  85.0 %      5",
        "    hand   80.0 %              -  70.0 %      5",
        "",
        "perplexity",
        "  network   21.00              -   21.00      1",
    ]


def test_perplexities_of_words_and_of_characters_stand_side_by_side_and_share_no_row():
    words = {"better": BIGRAM["network"] | {"bigrams": 3130}}
    characters = {"better": {"perplexity": 5.0, "interval": [4.0, 6.0], "n": 9, "characters": 10}}
    assert layout(runs_table({"w": words, "c": characters})) == [
        "                             w                  c",
        "perplexity per word",
        "  better  21.48 [20.65, 22.30]                  -",
        "",
        "perplexity per character",
        "  better                     -  5.00 [4.00, 6.00]",
    ]
    assert layout(results_table(characters))[1] == "perplexity per character"


def test_a_paired_difference_has_a_sign():
    pair = {
        "run": "runs/b", "task": "birthplace", "difference": -0.025, "interval": [-0.08, 0.03],
        "n": 80, "only_a": 1, "only_b": 3,
    }  # fmt: skip
    part = pair | {"difference": 0.1, "n": 3}
    assert layout(pairs_table([pair | {"by_relation": {"hand": part}}], "runs/a"))[1:] == [
        "accuracy compared with runs/a, on the same questions",
        "  runs/b: birthplace   -2.5 points   [-8.0, +3.0]  n=80                  1 : 3",
        "    hand              +10.0 points   [-8.0, +3.0]   n=3                  1 : 3",
    ]


def test_a_hostile_name_stays_text(capsys):
    draw(results_table({"\x1b]8;;http://x\x07a\nb": PEOPLE["majority"]}))
    shown = capsys.readouterr().out
    assert shown.startswith("                        ")
    assert "\n  \\x1b]8;;http://x\\x07a\\nb  7.5 %    [3.5, 15.4]  n=80\n" in shown


# --- several relations -------------------------------------------------------------------------


def test_results_of_a_run_with_its_relations_below():
    assert layout(results_table(RELATIONS)) == [
        "                                    95 % interval",
        "accuracy",
        "  majority                   7.5 %    [3.5, 15.4]  n=80",
        "    Where was X born?        5.0 %    [1.0, 16.0]  n=40",
        "    Which hand did X use?   10.0 %    [4.0, 23.0]  n=40",
        "  with_pretraining          98.8 %   [93.2, 99.8]  n=80",
        "",
        'when it may say "I don\'t know"',
        "  answered                  25.0 %   [20.0, 30.0]  n=80",
        "    Where was X born?       50.0 %   [40.0, 60.0]  n=40",
        "    Which hand did X use?    0.0 %    [0.0, 10.0]  n=40",
        "  right among answered     100.0 %  [95.2, 100.0]  n=76",
        "  declined: no text        100.0 %  [94.0, 100.0]  n=60",
        "  declined: text omits it   75.0 %   [46.8, 91.1]  n=12",
    ]


def test_why_nothing_is_answered_is_a_sentence_for_all_of_which_it_is_so():
    assert explain_abstention(RELATIONS) == [
        "Which hand did X use?: nothing is answered: no threshold reaches 90 %"
    ]
    share = PEOPLE["answered_share"] | {"why_not": "too few"}
    assert explain_abstention({"answered_share": share}) == ["nothing is answered: too few"]
    both = PEOPLE["answered_share"] | {"by_relation": dict.fromkeys((PLACE, HAND), share)}
    (line,) = explain_abstention({"answered_share": both})
    assert line == f"{PLACE}, {HAND}: nothing is answered: too few"
    assert explain_abstention(PEOPLE) == []


def test_runs_with_and_without_relations_stand_side_by_side():
    both = {"runs/a": {"majority": PEOPLE["majority"], "x": PEOPLE["with_pretraining"]},
            "runs/b": {"majority": RELATIONS["majority"]}}  # fmt: skip
    found = [line[:25].strip() for line in layout(runs_table(both))[2:]]
    assert found == ["majority", PLACE, HAND, "x"]


def test_the_two_scores_of_a_run_with_notes_stand_together_in_words():
    score = {"accuracy": 0.5, "interval": [0.4, 0.6], "n": 100}
    names = ("majority", OPEN_BOOK, "with_pretraining")
    results = dict.fromkeys(names, score)
    (section,) = results_table(results).sections
    said = ["majority", "open-book reader"]
    assert [row[0] for row in section.rows] == [*said, "closed-book, taught from notes"]
    (line,) = explain_notes(results)
    assert "learns the reader's mistakes" in line
    del results[OPEN_BOOK]
    assert results_table(results).sections[0].rows[-1][0] == "with_pretraining"
    assert explain_notes(results) == []
