"""The assignment's commands over a small folder of data: every file that is to be handed in."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tests.course.files import A5, hand_out, load
from wherefrom.course.classroom import assignment_commands as commands

run, london_baseline, submission, dataset, helper, utils = load(
    A5, "run", "london_baseline", "submission", "submission.dataset",
    "submission.helper", "submission.utils",
)  # fmt: skip
TINY = ["--epochs", "1", "--n_layer", "3", "--n_head", "2", "--n_embd", "8", "--device", "cpu"]
PEOPLE = [f"{a} {b}" for a in ("Ada", "Bo", "Cy") for b in ("Fox", "Gray", "Hill")]
PLACES = ["Oslo", "Rome", "London"] * 3


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch, tmp_path):
    monkeypatch.delenv("A5_DATA", raising=False)
    monkeypatch.setenv("WHEREFROM_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


def write_data(folder):
    folder.mkdir(parents=True)
    lines = [f"{n}. {n} was born in {p}." for n, p in zip(PEOPLE, PLACES, strict=True)]
    (folder / "wiki.txt").write_text("\n".join(lines) + " Where?")
    rows = [f"Where was {n} born?\t{p}\n" for n, p in zip(PEOPLE, PLACES, strict=True)]
    (folder / "birth_places_train.tsv").write_text("".join(rows[:5]))
    (folder / "birth_dev.tsv").write_text("".join(rows[3:7]))
    questions = [row.split("\t")[0] + "\n" for row in rows[6:]]
    (folder / "birth_test_inputs.tsv").write_text("".join(questions))
    return folder


def read(path):
    """Our own files need no child process; other tests have it."""
    return torch.load(path, weights_only=True)


@pytest.fixture(scope="module")
def chain(tmp_path_factory):
    """A variant's commands, two of which train, and where their files are."""
    base = tmp_path_factory.mktemp("a5")
    data, out = write_data(base / "data"), base / "out"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(utils, "read_params", read)
        for name in (name for name in commands.COMMANDS if name.startswith("rope_")):
            given = [name, "--data", str(data), "--out", str(out), *TINY]
            assert run.main(given) == 0, name
    return data, out


def test_every_deliverable_is_there_and_nothing_else(chain):
    _, out = chain
    wanted = {f"rope.{stage}.params" for stage in ("pretrain", "finetune")}
    wanted |= {f"rope.pretrain.{part}.predictions" for part in ("dev", "test")}
    assert {path.name for path in out.iterdir()} == wanted
    for path in out.glob("*.params"):
        assert utils.variant_of(read(path)) == "rope"
    for part, count in (("dev", 4), ("test", 3)):
        assert (out / f"rope.pretrain.{part}.predictions").read_text().count("\n") == count
    before, after = (read(out / f"rope.{stage}.params") for stage in ("pretrain", "finetune"))
    assert any(not torch.equal(before[name], after[name]) for name in before)


def test_every_command_reads_what_an_earlier_one_writes_and_builds_its_own_model(tmp_path):
    data, made = write_data(tmp_path / "data"), set()
    letters = dataset.CharCorruptionDataset((data / "wiki.txt").read_text(), 128)
    assert len(commands.COMMANDS) == 19
    for name, command in commands.COMMANDS.items():
        assert command.reads in {"", *made}, name
        made |= {command.writes, command.predicts} - {""}
        (tmp_path / (command.reads or "none")).touch()
        options = run.parse([name, "--out", str(tmp_path), *TINY])
        assert (options.function, options.variant) == (command.function, command.variant)
        if command.function == "pretrain":
            built = run.build(options, letters)
            assert utils.variant_of(built.state_dict()) == command.variant


def test_the_options_of_both_styles_say_the_same(chain, capsys):
    data, out = chain
    params, dev = out / "rope.finetune.params", data / "birth_dev.tsv"
    given = ["evaluate", "rope", str(data / "wiki.txt"), "--reading_params_path", str(params),
             "--eval_corpus_path", str(dev), "--outputs_path", "a.txt", *TINY[2:]]  # fmt: skip
    assert run.main(given) == 0
    assert "out of 4.0: " in capsys.readouterr().out
    assert Path("a.txt").read_text() == (out / "rope.pretrain.dev.predictions").read_text()
    wiki = str(data / "wiki.txt")
    spelt = run.parse(
        [f"--pretrain_corpus_path={wiki}", "--function=finetune", "--variant=vanilla",
         "--writing_params_path=b.params"]
    )  # fmt: skip
    short = run.parse(["finetune", "vanilla", wiki, "--writing_params_path", "b.params"])
    assert spelt == short
    own = run.parse(["vanilla_pretrain", "--writing_params_path", "b.params", "--epochs", "2"])
    assert (own.writing_params_path, own.epochs) == (Path("b.params"), 2)


def test_run_sh_passes_on_every_name(tmp_path):
    """What it starts is a new Python, which says what is missing before it loads torch."""
    given = [A5 / "run.sh", "synthesizer_finetrain_with_pretrain", "--out", "out"]
    done = subprocess.run(
        given, env=os.environ | {"PYTHON": sys.executable},
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 66, done.stderr
    assert "run './run.sh synthesizer_pretrain' first" in done.stderr


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["vanilla_pretrain", "wiki.txt"], "unrecognized arguments: wiki.txt"),
        (["pretrain"], "variant: expected one of vanilla, synthesizer, perceiver, rope"),
        (["vanilla_pretrain", "--seed", "x"], "argument --seed: invalid int value: 'x'"),
        (["vanilla_pretrian"], "no such command; did you mean 'vanilla_pretrain'? './run.sh'"),
        (["--variant", "rope"], "'': no such command; './run.sh' lists them"),
        (["pretrain", "vanilla", "wiki.txt"], "pretrain: expected --writing_params_path"),
    ],
)
def test_what_is_said_wrongly_is_one_line(capsys, given, said):
    assert said in fails(capsys, 2, *given)


def test_the_small_programs_take_the_data_folder_too(tmp_path, capsys):
    folder = str(write_data(tmp_path / "own"))
    assert london_baseline.main(["--data", folder]) == 0
    assert capsys.readouterr().out == "Correct: 1.0 out of 4.0: 25%\n"
    assert dataset.main(["namedata", "--data", folder]) == 0
    assert "x: Where was Ada Fox born?\u2047Oslo\u2047\u25a1" in capsys.readouterr().out
    assert dataset.main(["charcorruption", "--data", folder]) == 0
    assert dataset.main(["charcorruption"]) == london_baseline.main([]) == 66
    assert dataset.main(["nomdata", "--data", folder]) == 2


def fails(capsys, code, *given):
    """The one line that a command fails with."""
    assert run.main([*given, *TINY]) == code
    lines = capsys.readouterr().err.strip().split("\n")
    assert len(lines) == 1, lines
    return lines[0]


def test_where_the_data_were_looked_for_is_said(tmp_path, capsys):
    said = fails(capsys, 66, "rope_pretrain", "--out", str(tmp_path))
    assert "data/wiki.txt: expected the assignment's data, found none" in said


def test_bad_data_is_one_line(tmp_path, capsys):
    data = write_data(tmp_path / "own")
    given = ["vanilla_finetune_without_pretrain", "--data", str(data), "--out", str(tmp_path)]
    names = data / "birth_places_train.tsv"
    names.write_text(names.read_text() + "Where was Di Fox born?\tOslo\tRome\n")
    said = fails(capsys, 65, *given)
    assert "line 6: expected 'question<TAB>answer', found 3 columns" in said
    wiki = data / "wiki.txt"
    wiki.write_text(wiki.read_text() + "\nAn odd \u2047 line.")
    assert "text: expected no mask character U+2047" in fails(capsys, 65, *given)


def test_parameters_that_are_not_the_models(chain, tmp_path, capsys):
    data, out = chain
    bad = tmp_path / "synthesizer.finetune.params"
    bad.write_bytes((out / "rope.finetune.params").read_bytes())
    given = ["synthesizer_eval_dev_with_pretrain", "--data", str(data), "--out", str(tmp_path)]
    said = fails(capsys, 78, *given)
    assert "expected the parameters of a synthesizer model, found those of a rope" in said


def test_a_model_that_is_not_what_it_is_called(chain, capsys, monkeypatch):
    monkeypatch.setattr(helper, "initialize_synthesizer_model", helper.initialize_vanilla_model)
    data, out = chain
    given = ["synthesizer_pretrain", "--data", str(data), "--out", str(out)]
    assert "expected a synthesizer model, found that it builds vanilla" in fails(capsys, 78, *given)


def test_what_is_not_written_yet_is_one_line(tmp_path):
    starter, data = hand_out(tmp_path / "starter"), write_data(tmp_path / "data")

    def complains(*command):
        given = [sys.executable, *map(str, command), "--data", str(data)]
        place = starter / "submission"
        done = subprocess.run(given, capture_output=True, text=True, cwd=place)
        (line,) = done.stderr.splitlines()
        assert done.returncode == 66
        return line

    def unwritten(name, *command):
        line = complains(*command)
        return re.search(rf"\.py:\d+: {name}\(\) is not written yet: write it, between START", line)

    assert unwritten("__getitem__", "dataset.py", "charcorruption")
    given = (starter / "run.py", "vanilla_pretrain", *TINY)
    assert unwritten("initialize_vanilla_model", *given)
    helper = starter / "submission" / "helper.py"
    text = helper.read_text().replace("raise NotImplementedError", "return GPT(mconf)", 1)
    helper.write_text(text)
    assert unwritten("pretrain", *given)
