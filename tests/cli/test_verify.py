"""`wherefrom verify`: one line a fault, 0 or 76, and without torch."""

import shutil
import subprocess
import sys

import pytest

# One file of every kind that a finished run of questions has.
FILES = (
    "run.json", "status.json", "vocab.json", "splits.json", "corpus/corpus.json",
    "corpus/dataset.json.gz", "corpus/documents.txt", "stages/pretrain/metrics.jsonl",
    "models/with_pretraining/model.json", "models/with_pretraining/weights.safetensors",
    "predictions/majority.birthplace.jsonl", "predictions/majority.birthplace.txt",
    "audit/confidence.json", "audit/answered.jsonl", "manifest.json",
)  # fmt: skip


def spoil(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(data)


def test_a_sound_run_is_said_to_be_sound(cli, tiny_run):
    result = cli("verify", tiny_run)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(f"{tiny_run}: sound, ")
    found = cli("verify", tiny_run, "--json").json
    assert found["sound"] is True
    assert found["runs"][0]["faults"] == []


def test_a_spoilt_file_is_named_by_verify(cli, own_run):
    for name in FILES:
        sound = (own_run / name).read_bytes()
        spoil(own_run / name)
        result = cli("verify", own_run)
        assert result.code == 76
        lines = result.out.splitlines()
        assert sum(line.startswith(f"{own_run / name}: expected ") for line in lines) == 1
        assert lines[-1].startswith(f"{own_run}: 1 fault, ")
        assert all(line.startswith(str(own_run)) for line in lines)
        (own_run / name).write_bytes(sound)


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("ask", "audit/confidence.json"),
        ("ask", "models/with_pretraining/weights.safetensors"),
        ("evaluate", "run.json"),
        ("report", "audit/answered.jsonl"),
        ("compare", "predictions/with_pretraining.birthplace.jsonl"),
    ],
)
def test_a_spoilt_file_is_named_by_the_command_that_reads_it(cli, own_run, tiny_run, command, name):
    spoil(own_run / name)
    further = {"ask": ["Where was Ada Lund born?"], "compare": [tiny_run]}.get(command, [])
    result = cli(command, own_run, *further)
    assert result.code == 76
    assert str(own_run / name) in result.complaint


def test_several_runs_in_a_folder(cli, tiny_run, tmp_path):
    for name in ("a", "b/seed-0"):
        shutil.copytree(tiny_run, tmp_path / "runs" / name)
    spoil(tmp_path / "runs" / "b" / "seed-0" / "vocab.json")
    found = cli("verify", tmp_path / "runs", "--json")
    assert found.code == 76
    assert found.json["sound"] is False
    assert [len(run["faults"]) for run in found.json["runs"]] == [0, 1]
    (fault,) = found.json["runs"][1]["faults"]
    assert fault["file"] == "vocab.json"
    assert fault["line"].startswith(str(tmp_path / "runs" / "b" / "seed-0" / "vocab.json"))


def test_no_torch_is_loaded(tiny_run, python_anew):
    code = (
        "import sys; from wherefrom.cli.main import main; code = main(['verify', sys.argv[1]]); "
        "sys.exit(code or 100 * ('torch' in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code, tiny_run], check=False, capture_output=True)
    assert done.returncode == 0
