from pathlib import Path


def evaluate_places(filepath, predicted_places):
    rows = [line.split("\t") for line in Path(filepath).read_text(encoding="utf-8").splitlines()]
    if len(rows[0]) == 1:
        return 0, 0
    right = sum(row[1] == place for row, place in zip(rows, predicted_places, strict=True))
    return float(len(rows)), float(right)
