"""The Python side of `wherefrom data`, on the small folder of birthplaces."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.data.conftest import packed
from wherefrom import data
from wherefrom.core.errors import MissingInput

pytestmark = pytest.mark.usefixtures("home")
ALL = ("Al", "Bo", "Cy", "Di", "Ed")


def test_a_fetched_data_set_is_checked_and_removed_with_its_folder(offer):
    rows = "".join(f"{a} {b},Rome,Italy,1900,Male,PAINTER\n" for a in ALL for b in ALL)
    csv = f"name,birthcity,countryName,birthyear,gender,occupation\n{rows}".encode()
    offer(packed(("package/data/pantheon.csv", csv)))
    folder = Path(data.fetch("famous-people").folder)
    found = data.check("famous-people")
    assert isinstance(found, data.DatasetFiles)
    assert (found.state, found.folder, found.survey.documents) == ("ok", str(folder), 25)
    (folder / "corpus.txt").write_text("spoilt")
    changed = data.check("famous-people")
    assert isinstance(changed, data.DatasetFiles)
    assert (changed.state, changed.survey) == ("changed since", None)
    assert data.remove("famous-people").deleted
    assert not folder.exists()
    with pytest.raises(MissingInput, match="data 'famous-people': expected a registered data set"):
        data.remove("famous-people")


def write_own(path: Path) -> dict[str, Path]:
    """A text of 16 lines and its questions, in several formats."""
    names = [f"{a} {b}" for a in ALL for b in ALL[:4]]
    text = path / "text.txt"
    text.write_text("".join(f"{name} was born in Rome.\n" for name in names))
    table, rows = path / "q.csv", path / "q.jsonl"
    table.write_text(
        "question,answer,id\n" + "".join(f"Where was {n} born?,Rome,\n" for n in names)
    )
    rows.write_text("".join(
        f'{{"question": "Where was {n} born?", "answers": ["Rome", "Roma"], "split": "dev"}}\n'
        for n in names
    ))  # fmt: skip
    return {"text": text, "csv": table, "jsonl": rows}


def test_own_files_are_checked_together_and_alone(tmp_path):
    own = write_own(tmp_path)
    both = data.check(own["text"], own["csv"])
    assert isinstance(both, data.Survey)
    assert (both.documents, both.forms) == (20, {"Where was X born?": 20})
    size = sum(len(line) for line in own["text"].read_text().splitlines())
    said = f"a text of 20 documents, {size} characters; the longest document has 23"
    assert data.check(own["text"]).lines() == [f"{own['text']}: {said}"]
    said = "a file of 20 questions with answers; a table of facts would have a header of column "
    assert data.check(own["jsonl"]).lines() == [
        f"{own['jsonl']}: {said}names",
        "form: Where was X born? (20)",
        "split: calibration (20)",
        "questions with more than one right answer: 20",
    ]
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("One.\nTwo.\n\nThree.\n")
    files = data.check(tmp_path / "texts", documents="files")
    assert files.lines()[-1] == "documents with an id: 1"
    own["text"].rename(tmp_path / "corpus.txt")
    own["csv"].rename(tmp_path / "questions.csv")
    assert data.check(tmp_path) == both


def test_importing_the_package_stays_cheap(python_anew):
    """Every import of a data set passes through it; the help of every command does, too."""
    heavy = ("torch", "numpy", "ssl", "wherefrom.data.data_catalogue")
    program = (
        f"import sys, wherefrom.data; print([m for m in {heavy} if m in sys.modules]); "
        "import wherefrom.data.people; print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "[]\nFalse\n"
