"""A submission is asked in processes of its own: one that dies, lies and leaves things behind."""

from dataclasses import replace

import pytest

from tests.support import submissions
from wherefrom.course.doctor.child_requests import IMPORT, Asking, ask
from wherefrom.course.doctor.exercises import Request
from wherefrom.course.doctor.isolation import Limits
from wherefrom.course.doctor.layouts import FILES

PROBES = """
import os
from safetensors.numpy import save_file

def lie(submission, found, how):
    for name in ("die", "late"):
        save_file({}, f"../out/{name}.safetensors", {"values": '{"said": "a lie"}', "raised": "{}"})
    raise KeyError("lie")

def late(submission, found, how):
    found.put(said=os.environ["A5_YEAR"], files=sorted(p.name for p in how.given.iterdir()),
              seen=sorted(p.name for p in submission.folder.iterdir()))

PROBES = {
    "imports": lambda s, found, how: found.put(errors=s.code[1]),
    "fine": lambda s, found, how: found.put(said=s.told, given=how.n),
    "die": lambda s, found, how: os._exit(3),
    "lie": lie,
    "late": late,
}
"""


@pytest.fixture
def asking(grounds):
    (grounds / "odd_probes.py").write_text(PROBES)
    (grounds / "handed-in").mkdir()
    for name in FILES:
        (grounds / "handed-in" / name).write_text("told = 'imported'\n")
    probes = grounds / "odd_probes.py"
    return Asking(
        grounds / "handed-in", grounds / "kept", "cs224n2024", probes=probes.stem, files=(probes,)
    )


def requests(*names: str) -> list[Request]:
    return [Request(name, name, {"n": 5}) for name in names]


def test_a_request_that_dies_costs_only_itself(asking):
    found = ask(asking, requests("fine", "die", "late"))
    assert list(found) == ["import", "fine", "die", "late"]
    assert found["import"].values["errors"] == {}
    assert found["fine"].values == {"said": "imported", "given": 5, "excuses": []}
    assert found["die"].ended == "it ended its process (code 3) and was given up"
    assert found["late"].values["said"] == "cs224n2024"


def test_a_claim_that_the_submission_wrote_is_its_own_word(asking):
    """It is no verdict: whatever it claims is judged. What it wrote for another is written over."""
    found = ask(asking, requests("lie", "late"))
    assert found["lie"].raised["type"] == "KeyError"
    assert found["late"].values["said"] == "cs224n2024"


def test_a_death_while_importing_is_not_tried_again(asking):
    (asking.folder / "__init__.py").write_text("import os\nos.abort()\n")
    found = ask(asking, requests("fine", "late"))
    for name in ("import", "fine", "late"):
        assert found[name].raised["mistake"] == "import"
        said = found[name].raised["text"]
        assert said.startswith("the package cannot be imported: it was killed (SIGABRT)")


def test_no_time_is_no_answer(asking):
    found = ask(replace(asking, limits=Limits(total=-1)), requests("fine"))
    assert found["fine"].ended == "no time was left for it"


def test_data_that_are_read_on_import_have_stand_ins(grounds):
    folder = submissions.plain(grounds / "plain")
    with (folder / "dataset.py").open("a") as file:
        file.write("text = [open(f'data/{name}').read() for name in ('wiki.txt', 'dev.tsv')]\n")
    claim = submissions.claims_of(folder, [IMPORT])["import"]
    assert claim.values["errors"] == {}
    assert claim.excused("path").startswith("path data/wiki.txt at dataset.py:")
