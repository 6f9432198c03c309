"""The evidence benchmark runs at a small size, and reports what it says it does."""

import json

import evidence


def test_it_runs(tmp_path, capsys):
    file = tmp_path / "figures.json"
    result = evidence.main(["--tiny", "--json", str(file)])
    assert json.loads(file.read_text()) == json.loads(json.dumps(result))
    assert result["index_ratio"] > 1
    assert all(one["p50"] <= one["p95"] for one in result["milliseconds"].values())
    assert "judging an answer" in capsys.readouterr().out


def test_recombined_names_are_not_in_the_folder(tmp_path):
    names = ["Ada Lund", "Bo Falk", "Cy Roth"]
    lines = [f"{name}. {name} was born in Oslo." for name in names]
    rows = [f"Where was {name} born?\tOslo" for name in names]
    (tmp_path / "wiki.txt").write_text("\n".join(lines))
    for file in ("birth_places_train.tsv", "birth_dev.tsv"):
        (tmp_path / file).write_text("\n".join(rows))
    dataset = evidence.recombined(str(tmp_path), 20, calibration=1)
    subjects = [d.subject.of(d.text) for d in dataset.documents]
    assert len(subjects) == 20
    assert subjects[:3] == names
    assert not set(names) & set(subjects[3:])
    assert all(d.text.count(s) == 2 for d, s in zip(dataset.documents, subjects, strict=True))
