"""What several tests share: a tiny recipe and one finished run of it."""

import json
import os
import shutil
import sqlite3
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import hypothesis
import pytest

from tests.support import cpu_seconds, forks, skips
from tests.support.own_text import write_birthplaces, write_files

# Fixtures that several rooms share.
pytest_plugins = (
    "tests.support.audited", "tests.support.references", "tests.support.stated_world",
    "tests.support.word_runs",
)  # fmt: skip

# Tests run side by side: each, and every process that it starts, computes with one thread unless
# the caller says otherwise. Several OpenMP threads per test would wait for each other most of the
# time, and those of a test that asks for two must sleep meanwhile. torch reads this when loaded.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ["OMP_WAIT_POLICY"] = "passive"

# No test depends on the clock: a busy machine may take its time over any example.
hypothesis.settings.register_profile(
    "unhurried", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("unhurried")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--known-skips", action="store_true", help="fail on skips that are not known")


def pytest_configure(config: pytest.Config) -> None:
    cpu_seconds.record(config)
    skips.watch(config)
    forks.install()


def pytest_unconfigure() -> None:
    forks.uninstall()


@pytest.fixture
def capturing_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """A CPU takes captured steps as a GPU does: the step is called instead of replayed."""
    from wherefrom.experiments.many_runs import stack_plan
    from wherefrom.training.captured import CapturedSteps

    monkeypatch.setattr(CapturedSteps, "_capture", lambda self: SimpleNamespace(replay=self._step))
    monkeypatch.setattr(stack_plan, "CAPTURING", ("cpu", "cuda"))


@pytest.fixture
def python_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs that the test starts are new processes instead of forks of one with torch."""
    monkeypatch.setenv(forks.ANEW, "1")


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Bytes are named by how many they are: packed ones hold the second they were packed in, so
    tests named after their content would differ between two processes of one run."""
    return f"{argname}-of-{len(val)}" if isinstance(val, bytes) else None


SMALL = (
    "model.n_embd=16", "model.n_head=2", "model.n_layer=1",
    "model.ngrams=2", "model.ngram_buckets=64",
    "stages.pretrain.steps=40", "stages.pretrain.batch=8",
    "stages.questions_only.steps=20", "stages.questions_only.batch=8",
    "threads=1",
)  # fmt: skip
TINY = (
    *SMALL,
    "data.asked=12", "data.calibration=8", "data.held_out=8", "data.omitted=2", "data.untold=4",
    "data.masked=0",
    # A third of a CPU second of each training would go into statements that leave a fact out.
    "stages.pretrain.mix.omissions.share=0",
)  # fmt: skip


@pytest.fixture(scope="session")
def small_settings() -> list[str]:
    """FIELD=VALUE settings that make `people` small, whatever the text."""
    return list(SMALL)


@pytest.fixture(scope="session")
def tiny_settings() -> list[str]:
    """FIELD=VALUE settings that make `people` a matter of a second; it learns nothing."""
    return list(TINY)


def make_run(factory: pytest.TempPathFactory, recipe: str, settings: list[str]) -> Path:
    """A finished run in a folder of its own."""
    from wherefrom import api

    path = factory.mktemp(recipe) / f"{recipe}-0"
    return Path(api.run(recipe, out=path, settings=settings).run)


@pytest.fixture(scope="session")
def tiny_run(tmp_path_factory: pytest.TempPathFactory, tiny_settings: list[str]) -> Path:
    """A finished run of the tiny recipe. Tests that change it must copy it first."""
    return make_run(tmp_path_factory, "people", tiny_settings)


@pytest.fixture(scope="session")
def exportable_run(tmp_path_factory: pytest.TempPathFactory, tiny_settings: list[str]) -> Path:
    """A finished run like the tiny one, whose models read no n-grams. No test changes it."""
    return make_run(tmp_path_factory, "people", [*tiny_settings, "model.ngrams=0"])


@pytest.fixture
def own_run(tiny_run: Path, tmp_path: Path) -> Path:
    """A copy of the finished run, to be changed."""
    return Path(shutil.copytree(tiny_run, tmp_path / "run"))


@pytest.fixture(scope="session")
def inspector(tiny_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Of a copy of the tiny run, which no test changes."""
    from wherefrom.answering.inspector import open_inspector
    from wherefrom.runs.opened_run import open_run

    path = shutil.copytree(tiny_run, tmp_path_factory.mktemp("inspector") / "people-0")
    return open_inspector(open_run(path))


FACTS = [f"{a} {b}" for a in "Ada Bo Cy Di Ed Fay".split() for b in "Lund Falk Roth Holm".split()]


@pytest.fixture(scope="session")
def facts_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`run` over `corpus.txt` and `questions.tsv`, without calibration people."""
    from wherefrom import api

    folder = tmp_path_factory.mktemp("facts")
    places = zip(FACTS, "Oslo Rome Lima Bonn Cork".split() * 5, strict=False)
    files = write_birthplaces(folder, dict(places))
    none = ["data.calibration_share=0", "abstain=false"]
    api.run("facts", out=folder / "run", settings=[*SMALL, *files, *none])
    return folder


@pytest.fixture(scope="session")
def relations_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished tiny run of `facts` over two relations, with calibration and held-out people."""
    from wherefrom import api

    folder = tmp_path_factory.mktemp("relations")
    names = [f"{name}{end}" for end in ("", "ner", "sen") for name in FACTS]
    places, hands = "Oslo Rome Lima Bonn Cork".split(), ["right", "right", "left"]
    lines, answers = [], {}
    for i, name in enumerate(names):
        place, hand = places[i % 5], hands[i % 3]
        lines.append(f"{name} was born in {place} and writes {hand}-handed.")
        answers[f"Where was {name} born?"] = place
        answers[f"Which hand does {name} write with?"] = hand
    files = write_files(folder, lines, answers)
    api.run("facts", out=folder / "run", settings=[*SMALL, *files])
    return folder / "run"


@pytest.fixture
def own_facts(facts_folder: Path, tmp_path: Path) -> Path:
    """A copy of that folder, to be changed."""
    from wherefrom.runs.folder import RunFolder

    folder = Path(shutil.copytree(facts_folder, tmp_path / "facts"))
    recipe = (folder / "run" / "run.json").read_text()
    moved = json.loads(recipe.replace(str(facts_folder), str(folder)))
    RunFolder(folder / "run").write_json("run.json", moved)
    return folder


@pytest.fixture
def read_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if no file could be written; the super-user, who runs some tests, may write anywhere."""
    connect, open_file = sqlite3.connect, Path.open

    def connect_to_read(database: Any, *rest: Any, **options: Any) -> Any:
        if database != ":memory:" and "mode=ro" not in str(database):
            raise sqlite3.OperationalError("unable to open database file")
        return connect(database, *rest, **options)

    def open_to_read(path: Path, mode: str = "r", *rest: Any, **options: Any) -> Any:
        if set(mode) & set("wxa+"):
            raise PermissionError(13, "Permission denied")
        return open_file(path, mode, *rest, **options)

    monkeypatch.setattr(sqlite3, "connect", connect_to_read)
    monkeypatch.setattr(Path, "open", open_to_read)


class Registry(ThreadingHTTPServer):
    """A package registry on this machine, with pages of PyPI's form and npm's addresses.

    `files` by path; `asked` is what was asked for.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files: dict[str, bytes] = {}
        self.asked: list[str] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def offer(self, package: str, file: str, data: bytes, link: str = "") -> None:
        """A file on both kinds of registry."""
        link = link or f"../../files/{file}#sha256=0"
        page = f"<!DOCTYPE html><a href='/other-0.1.tar.gz'>x</a><a href='{link}'>{file}</a>"
        self.files[f"/simple/{package}/"] = page.encode()
        self.files[f"/files/{file}"] = self.files[f"/npm/{package}/-/{file}"] = data


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, Registry)
        self.server.asked.append(self.path)
        data = self.server.files.get(self.path)
        self.send_response(404 if data is None else 200)
        self.send_header("Content-Length", str(len(data or b"")))
        self.end_headers()
        self.wfile.write(data or b"")

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def package_registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    """What pip and npm are set up with while it lasts."""
    server = Registry()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    monkeypatch.setenv("PIP_INDEX_URL", f"{server.address}/simple")
    monkeypatch.setenv("npm_config_registry", f"{server.address}/npm/")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="session")
def sentiment_settings() -> list[str]:
    """FIELD=VALUE settings that make `sentiment` a matter of seconds on generated reviews."""
    from wherefrom.experiments.recipes.sentiment_recipe import sentiment

    stages = [stage.name for stage in sentiment().stages]
    steps = [f"stages.{name}.steps={60 if name == 'epochs' else 20}" for name in stages]
    batch = [f"stages.{name}.batch=30" for name in stages]
    return ["data.made=600", "model.width=8", "model.hidden=8", "threads=1", *steps, *batch]


@pytest.fixture(scope="session")
def sentiment_run(tmp_path_factory: pytest.TempPathFactory, sentiment_settings: list[str]) -> Path:
    """A finished run of the small `sentiment`. Tests that change it must copy it first."""
    return make_run(tmp_path_factory, "sentiment", sentiment_settings)


@pytest.fixture(scope="session")
def text_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A text for character models that learn next to nothing."""
    path = tmp_path_factory.mktemp("text") / "text.txt"
    path.write_text("to be, or not to be: that is the question.\n" * 20)
    return path


@pytest.fixture(scope="session")
def character_run(text_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two character models, of which `better` is the primary one."""
    settings = [f"data.folder={text_file}", "model.n_hidden=12", "model.n_embd=8", "threads=1"]
    for stage in ("homework", "better"):
        settings += [f"stages.{stage}.steps=5", f"stages.{stage}.mix.text.objective.length=20"]
    return make_run(tmp_path_factory, "shakespeare-gru", settings)


@pytest.fixture(scope="session")
def bigram_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bigram network on generated text."""
    few = ["data.sentences=200", "stages.train.steps=20", "threads=1"]
    return make_run(tmp_path_factory, "bigram-tiny", few)


@pytest.fixture(scope="session")
def making() -> ModuleType:
    """What makes submissions of the course's assignment, sound and with mistakes."""
    from tests.support import submissions

    return submissions


@pytest.fixture(scope="session")
def course_data(making: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small world in the form of the course's data."""
    return making.make_data(tmp_path_factory.mktemp("world"))


@pytest.fixture
def grounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder: checks write there, and import what they check as `submission`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WHEREFROM_HOME", str(tmp_path / "home"))
    # Submissions draw bars and write logs; the doctor's child has stand-ins for both, too.
    from wherefrom.course.doctor.stand_ins import stand_in

    for name in ("torch.utils.tensorboard", *(["tqdm"] if find_spec("tqdm") is None else [])):
        module = stand_in()
        module.__spec__ = ModuleSpec(name, None)
        monkeypatch.setitem(sys.modules, name, module)
    for name in [n for n in sys.modules if n.split(".")[0] == "submission"]:
        monkeypatch.delitem(sys.modules, name)
    yield tmp_path
    for name in [n for n in sys.modules if n.split(".")[0] == "submission"]:
        del sys.modules[name]


@pytest.fixture
def solution(making: ModuleType, grounds: Path, course_data: Path) -> Path:
    """A copy of the reference solution, with its predictions."""
    return making.predict_all(making.copy(grounds / "someone"), course_data)
