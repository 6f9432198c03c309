"""The documents: their Python runs, their links lead somewhere, the files they name exist."""

import json
import re
import shlex
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
import typer.cli
from typer.testing import CliRunner

import wherefrom
from wherefrom.answering.asking import Replies
from wherefrom.auditing.audit_findings import (
    Audit,
    AuditedAnswer,
    AuditedDecoy,
    UnansweredQuestion,
)
from wherefrom.cli.main import main
from wherefrom.core.config import from_json, to_json
from wherefrom.core.replies import Reply

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("*/README.md"),
     *ROOT.glob("course/*/README.md")]
)  # fmt: skip
GUIDE = ROOT / "docs" / "PYTHON.md"
TUTORIAL = ROOT / "docs" / "TUTORIAL.md"


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def python_blocks(text: str) -> list[tuple[int, str]]:
    """The number of the first line of each ```python block, and the block."""
    found = re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(text[: match.start(1)].count("\n") + 1, match[1]) for match in found]


def headings(text: str) -> set[str]:
    """The anchors that GitHub gives the headings of a page."""
    without_code = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ (.+)$", without_code, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.fixture
def elsewhere(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WHEREFROM_HOME", str(tmp_path / "home"))


@pytest.mark.nightly
def test_the_notebook_runs_from_its_first_cell_to_its_last(elsewhere):
    """As a reader would run it, and what it shows is what was saved, as far as figures allow."""
    cells = json.loads((ROOT / "docs" / "first-steps.ipynb").read_text("utf-8"))["cells"]
    names: dict[str, Any] = {"__name__": "notebook"}
    for cell in (cell for cell in cells if cell["cell_type"] == "code"):
        exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
    known, unknown, misspelt = names["replies"]
    assert (known.answered, unknown.answered, misspelt.answered) == (True, False, False)
    assert "</table>" in names["audit"]._repr_html_()
    assert Path(names["report"].path).is_file()
    outputs = (out for cell in cells for out in cell.get("outputs", ()))
    saved = [line for out in outputs for line in out.get("text", ())]
    assert saved == [f"{reply!r}\n" for reply in names["replies"]]


@pytest.mark.nightly
def test_the_python_guide_runs_from_its_first_block_to_its_last(elsewhere):
    """In one namespace, as a reader would; a traceback names the line of the page."""
    namespace: dict[str, object] = {"__name__": "guide"}
    blocks = python_blocks(GUIDE.read_text("utf-8"))
    assert len(blocks) > 10
    for line, block in blocks:
        # Blank lines before the block, so that an error says where on the page it is.
        exec(compile("\n" * (line - 1) + block, str(GUIDE), "exec"), namespace)


@pytest.mark.nightly
def test_the_tutorial_runs_from_its_first_block_to_its_last(elsewhere, capsys):
    """Its Python in one namespace, and its commands in this process; none may fail."""
    text, namespace = TUTORIAL.read_text("utf-8"), {"__name__": "tutorial"}
    blocks = list(re.finditer(r"^```(python|sh)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    assert len(blocks) > 7
    shown: list[str] = []
    for language, block in (match.groups() for match in blocks):
        if language == "python":
            exec(compile(block, str(TUTORIAL), "exec"), namespace)
            continue
        for line in block.replace("\\\n", " ").splitlines():
            program, *arguments = shlex.split(line)
            assert program == "wherefrom"
            assert main(arguments) == 0, capsys.readouterr().err
            shown.append(capsys.readouterr().out)
    # What the page says that the first command prints is what it prints.
    printed = "".join(f"    {line}\n" for line in shown[0].splitlines())
    assert printed in text


def test_python_in_the_documents_can_be_parsed_and_names_what_there_is():
    unknown = []
    for page in PAGES:
        for line, block in python_blocks(page.read_text("utf-8")):
            compile("\n" * (line - 1) + block, str(page), "exec")
            named = re.findall(r"(?<![./\w])wherefrom\.([a-z_]\w*)", block)
            unknown += [f"{page.name}: {each}" for each in named if not hasattr(wherefrom, each)]
    assert unknown == []


def test_links_lead_somewhere():
    wrong = []
    for page in PAGES:
        for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
            if "://" in target:
                continue
            path, _, anchor = target.partition("#")
            found = (page.parent / path).resolve() if path else page
            if not found.exists():
                wrong.append(f"{name(page)} links to {target}")
            elif anchor and anchor not in headings(found.read_text("utf-8")):
                wrong.append(f"{name(page)}: no #{anchor}")
    assert wrong == []


def test_the_page_of_commands_is_what_they_say_of_themselves(tmp_path):
    """`make docs` writes it anew."""
    page = tmp_path / "COMMANDS.md"
    call = ["wherefrom.cli.main", "utils", "docs", "--name", "wherefrom", "--output", str(page)]
    assert CliRunner().invoke(typer.cli.app, call).exit_code == 0
    assert (ROOT / "docs" / "COMMANDS.md").read_text("utf-8") == page.read_text("utf-8")


def find_missing(text: str) -> list[str]:
    """Paths of the repository, and in backticks those of the package, that do not exist.

    A `*` may stand for any name, and words in capitals are the reader's to fill in.
    """
    tops = "docs|src|tests|benchmarks|course|studies|scripts|requirements"
    named = set(re.findall(rf"(?<![\w./-])((?:{tops})/[\w.*/-]*\w)", text))
    named |= set(re.findall(r"`([a-z_]+/[a-z_/]*[a-z_]+\.(?:py|js|md|sh|toml))`", text))
    package = ROOT / "src" / "wherefrom"
    places = (ROOT, package, package / "show" / "page", ROOT / "course" / "a5")
    return [
        path for path in sorted(named)
        if not re.search(r"[A-Z]{2,}(?!.*\.(md|tsv)$)", path)
        and not any(any(place.glob(path.rstrip("/"))) for place in places)
    ]  # fmt: skip


@pytest.mark.parametrize("page", [p for p in PAGES if p.name != "CHANGELOG.md"], ids=name)
def test_paths_that_are_named_exist(page):
    assert find_missing(page.read_text("utf-8")) == []


def test_pages_that_the_code_names_exist():
    """Error messages, docstrings and programs send readers to pages of docs/."""
    kinds = ("*.py", "*.js", "*.html", "*.jinja", "*.sh", "*.toml", "*.yml")
    folders = ("src", "benchmarks", "course", "studies", "scripts", "tests", ".github")
    files = [f for place in folders for kind in kinds for f in (ROOT / place).rglob(kind)]
    named = {
        (name(file), page)
        for file in files
        for page in re.findall(r"\bdocs/[\w/-]+\.(?:md|html)", file.read_text("utf-8"))
    }
    gone = [(file, page) for file, page in named if not (ROOT / page).exists()]
    assert [each for each in gone if each[1] not in ("docs/gone.md", "docs/nothing.md")] == []


def test_versions_are_written_down_alike():
    """pyproject.toml has the version, and scripts/setup.sh that of torch; others repeat them."""

    def find(pattern: str, file: str) -> set[str]:
        found = set(re.findall(pattern, (ROOT / file).read_text("utf-8"), re.MULTILINE))
        assert found, f"{file} has no {pattern}"
        return found

    own = find(r'^version = "(.+)"$', "pyproject.toml")
    assert find(r"^version: (.+)$", "CITATION.cff") == own
    torch = find(r"^torch_version=(.+)$", "scripts/setup.sh")
    for file in ("Dockerfile", ".github/workflows/wheel.yml"):
        assert find(r"torch==([\d.]+)", file) == torch
    tool = find(r'"(zensical==.+)"', "pyproject.toml")
    assert find(r"^(zensical==\S+)$", "requirements/site.in") == tool


# Words of AUDIT-JSON.md that are no fields: kinds of exposures, features, details, arguments.
NO_FIELDS = {
    "suffix", "value_masked", "name_masked", "from_name", "noted", "asked", "usual", "supported",
    "correct", "ask", "report", "required", "json", "jsonl", "svg", "gz",
}  # fmt: skip


def test_the_fields_of_an_audit_are_those_that_are_documented():
    """Fields of the findings, of replies and of claims, down to the smallest part."""
    text = (ROOT / "docs" / "AUDIT-JSON.md").read_text("utf-8")
    seen: set[type] = set()
    found = {"format_version"}

    def walk(cls: type) -> None:
        if cls in seen or not is_dataclass(cls):
            return
        seen.add(cls)
        for hint in get_type_hints(cls).values():
            parts = [hint]
            while parts:
                part = parts.pop()
                parts += get_args(part)
                if isinstance(part, type):
                    walk(part)
        found.update(field.name for field in fields(cls))

    for cls in (Audit, AuditedAnswer, AuditedDecoy, UnansweredQuestion, Replies):
        walk(cls)
    assert len(seen) > 20
    assert [name for name in sorted(found) if not re.search(rf"\b{name}\b", text)] == []
    named = {word.split(".")[-1] for word in re.findall(r"`([\w.]+)`", text)}
    assert {word for word in named if word.islower()} - found == NO_FIELDS


def test_the_reply_that_is_shown_has_the_form_of_a_reply():
    text = (ROOT / "docs" / "AUDIT-JSON.md").read_text("utf-8")
    shown = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", text, re.DOTALL)]
    (reply,) = [each for each in shown if "question" in each]
    again = to_json(from_json(Reply, reply, "the page"))
    assert (again, list(again)) == (reply, list(reply))
