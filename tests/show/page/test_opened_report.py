"""A report answers as its run does, and a file that cannot be asked says why."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.comparing import nearly
from wherefrom import api
from wherefrom.answering.inspector import Inspector, open_inspector
from wherefrom.core.config import to_json
from wherefrom.core.errors import BadData, Damaged, Mismatch, MissingInput, UsageError
from wherefrom.runs.opened_run import open_run
from wherefrom.show.page.document import checksum
from wherefrom.show.page.opened_report import example_report, open_report

CLOSE = 0.005
RUNS = ["tiny_run", "relations_run", "facts_folder"]


@pytest.fixture(scope="module", params=[(n, p) for n in RUNS for p in ("auto", "int12")])
def both(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Inspector, Inspector]:
    """A run, of one relation, of two with notes, or without a policy; and its report."""
    name, precision = request.param
    path: Path = request.getfixturevalue(name)
    run = open_run(path / "run" if name == "facts_folder" else path)
    file = tmp_path_factory.mktemp("report") / "r.html"
    api.write_report(run, file, precision=precision)
    return open_inspector(run), open_report(file)


def test_replies_are_those_of_the_run(both: tuple[Inspector, Inspector]) -> None:
    run, report = both
    people = run.run.dataset.questions[::3]
    near = [q.text.replace(q.subject, q.subject[:-1]) for q in people[:4]]
    fill = run.model.parser.forms[-1].fill
    texts = [*(q.text for q in people), *near, fill("Nobody Atall"), fill("Жора")]
    replies = [
        [to_json(reply) for reply in each.reply([each.parse(text) for text in texts])]
        for each in both
    ]
    for there, here in zip(*replies, strict=True):
        for reply in (there, here):
            reply["candidates"] = reply["candidates"][:1]  # the others may change places
        assert here == nearly(there, abs=CLOSE)
    assert report.notes() == run.notes()
    for text in ("", "Who are you?", fill("A" * 300)):
        said = []
        for each in both:
            with pytest.raises(BadData) as refused:
                each.parse(text)
            said.append(str(refused.value))
        assert said[0] == said[1]


def test_a_risk_bound_is_certified_on_the_same_people(tiny_run: Path, report_file: Path) -> None:
    question = open_run(tiny_run).dataset.select("held-out")[0].text
    there, here = (api.ask(each, question, risk=0.6, delta=0.5) for each in (tiny_run, report_file))
    assert there.certificate.n == here.certificate.n
    with pytest.raises(UsageError, match="expected a run, found a report; name the folder"):
        api.ask(report_file, question, claim="Rome")


def change_data(text: str, old: str, new: str) -> str:
    """The engine's data with something else in it, and the checksum of that."""
    start = text.index(">", text.index('id="engine-data"')) + 1
    end = text.index("</script>", start)
    assert old in text[start:end]
    data = text[start:end].replace(old, new)
    mark = re.sub('data-crc="[^"]*"', f'data-crc="{checksum(data)}"', text[start - 30 : start])
    return text[: start - 30] + mark + data + text[end:]


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        (lambda t: "<!doctype html><title>News</title>", BadData, "found another file"),
        (lambda t: t[:3000], Damaged, "found the beginning alone; copy it again"),
        (lambda t: t[: t.index('"vocabulary"')], Damaged, "changed or cut off; copy it again"),
        (lambda t: t.replace(" was born in ", " was seen in "), Damaged, "changed or cut off"),
        (
            lambda t: change_data(t, '"format_version":3,"recipe"', '"format_version":4,"recipe"'),
            Mismatch,
            "expected a report of format 3, found 4; install a newer wherefrom",
        ),
        (
            lambda t: change_data(t, '"format_version":3,"recipe"', '"format_version":2,"recipe"'),
            Mismatch,
            "found 2; 'wherefrom report RUN' writes it again",
        ),
        (lambda t: change_data(t, '"n_layer":1', '"n_layer":2'), Damaged, "expected float32"),
        (lambda t: change_data(t, '"n_embd":16', '"n_embd":8192'), Damaged, "expected at most"),
        (lambda t: change_data(t, '"questions":', '"answers":'), Damaged, "KeyError"),
    ],
)
def test_a_file_that_cannot_be_asked(
    report_file: Path, tmp_path: Path, change: Any, error: Any, says: str
) -> None:
    file = tmp_path / "r.html"
    file.write_text(change(report_file.read_text()))
    with pytest.raises(error) as raised:
        open_report(file)
    assert str(raised.value).startswith(f"{file}: expected ")
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_report_without_questions_or_without_its_model(
    character_run: Path, tiny_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.write_report(character_run, tmp_path / "text.html")
    with pytest.raises(BadData, match="a run that answers questions, found one of 'shakespeare-"):
        open_report(tmp_path / "text.html")
    monkeypatch.setattr("wherefrom.show.page.packed_models.LARGEST", 1)
    api.write_report(tiny_run, tmp_path / "bare.html")
    with pytest.raises(BadData, match="with its model in it, found one without; ask the run"):
        open_report(tmp_path / "bare.html")
    with pytest.raises(MissingInput):
        open_report(tmp_path / "none.html")


def test_the_example_that_comes_with_the_package() -> None:
    names = ("Amos Karlsson", "Clara Whitfield", "Amos Karlson")
    asked = [f"Where was {name} born?" for name in names]
    known, unknown, misspelt = api.ask(example_report(), asked)
    assert (known.answered, known.answer) == (True, "Havana")
    assert known.evidence.label == "supported"
    assert (unknown.answered, unknown.reason) == (False, "unknown name")
    assert (misspelt.answered, misspelt.did_you_mean) == (False, ("Amos Karlsson",))
