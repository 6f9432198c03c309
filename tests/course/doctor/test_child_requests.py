"""A submission is asked in processes of its own: one that dies, lies and leaves things behind."""

from dataclasses import replace

import pytest

from wherefrom.course.doctor.child_requests import Asking, ask
from wherefrom.course.doctor.exercises import Request
from wherefrom.course.doctor.isolation import Limits
from wherefrom.course.doctor.layouts import FILES

# What its evaluate_places() does goes by the answer that it is given.
UTILS = """
import os
from safetensors.numpy import save_file

def lie():
    for name in ("die", "late"):
        told = {"values": '{"results": "a lie"}', "raised": "{}"}
        save_file({}, f"../out/{name}.safetensors", told)
    raise KeyError("lie")

def evaluate_places(path, places):
    kinds = {"fine": lambda: (1, 2), "die": lambda: os._exit(3), "lie": lie,
             "grow": lambda: bytearray(1 << 34), "late": lambda: os.environ["A5_YEAR"]}
    return kinds[places[0]]()
"""


@pytest.fixture
def asking(grounds):
    (grounds / "handed-in").mkdir()
    for name in FILES:
        (grounds / "handed-in" / name).write_text(UTILS if name == "utils.py" else "")
    return Asking(grounds / "handed-in", grounds / "kept", "cs224n2024")


def requests(*names: str) -> list[Request]:
    return [Request(name, "scoring", {"cases": [["", [name]]]}) for name in names]


def test_a_request_that_dies_costs_only_itself(asking):
    found = ask(asking, requests("fine", "die", "late"))
    assert list(found) == ["import", "fine", "die", "late"]
    assert found["import"].values["errors"] == {}
    assert found["fine"].values == {"results": [[1.0, 2.0]]}
    assert found["die"].ended == "it ended its process (code 3) and was given up"
    assert found["late"].values == {"results": ["'cs224n2024'"]}


def test_a_claim_that_the_submission_wrote_is_its_own_word(asking):
    """It is no verdict: whatever it claims is judged. What it wrote for another is written over."""
    found = ask(asking, requests("lie", "late"))
    assert found["lie"].raised["type"] == "KeyError"
    assert found["late"].values == {"results": ["'cs224n2024'"]}


def test_a_process_has_limits(asking):
    found = ask(asking, requests("grow"))
    assert found["grow"].raised["type"] == "MemoryError"


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
