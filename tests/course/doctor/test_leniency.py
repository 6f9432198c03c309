"""What is let pass in the process of a submission, and what stands in for what is missing."""

import pdb
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from wherefrom.course.doctor.leniency import lenient

# As on a machine where none of them is installed.
PROGRAM = """
import sys
from wherefrom.course.doctor import leniency
for loaded in [name for name in sys.modules if name.split(".")[0] in leniency.PROVIDED]:
    del sys.modules[loaded]
known = leniency.PathFinder.find_spec
class Nowhere(leniency.PathFinder):
    @classmethod
    def find_spec(cls, name, *rest):
        return None if name in leniency.PROVIDED else known(name, *rest)
leniency.PathFinder = Nowhere
sys.meta_path.insert(0, leniency.StandIns())
from tqdm import tqdm, trange
from tqdm.auto import tqdm as other
from docopt import docopt
import timeout_decorator, wandb
from google.colab import drive
drive.mount("/content/drive")
import torch
from torch.utils.tensorboard import SummaryWriter
bar = tqdm(enumerate("ab"), total=2)
for number, letter in bar:
    bar.set_description(f"{letter} {number}")
    print(letter, number)
print(list(trange(2)), len(other([1, 2, 3])))
writer = SummaryWriter(log_dir="expt/run")
writer.add_scalar("train/loss", 1.0, 1)
writer.close()
print(timeout_decorator.timeout(3)(max)(1, 2))
"""


def test_what_is_missing_is_provided(tmp_path):
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True,
                          check=True, cwd=tmp_path)  # fmt: skip
    assert done.stdout.splitlines() == ["a 0", "b 1", "[0, 1] 3", "2"]
    assert list(tmp_path.iterdir()) == []


def test_mistakes_of_the_set_up_are_excused_and_noted(tmp_path):
    (tmp_path / "real.tsv").write_text("here")
    with lenient(tmp_path, {".tsv": tmp_path / "real.tsv"}) as excuses:
        assert torch.arange(3).cuda().tolist() == [0, 1, 2]
        assert torch.zeros(2, device="cuda:0").device.type == "cpu"
        assert torch.nn.Linear(1, 1).to("cuda").weight.device.type == "cpu"
        assert torch.ones(1).to(torch.device("cuda"), torch.float64).dtype == torch.float64
        torch.save({}, tmp_path / "empty.params")
        for device in ("cuda", torch.device("cuda:0")):
            assert torch.load(tmp_path / "empty.params", map_location=device) == {}
        number = torch.cuda.current_device()
        assert torch.ones(1, device=number).to(number).device.type == "cpu"
        assert torch.nn.Linear(1, 1).to(number).to(device=0).weight.device.type == "cpu"
        breakpoint()
        pdb.set_trace()
        with open("/content/drive/names.tsv") as file:
            assert file.read() == "here"
        with pytest.raises(FileNotFoundError):
            Path("/content/drive/names.json").read_text()
    assert excuses == ["cuda", "breakpoint", "path /content/drive/names.tsv"]
    with pytest.raises((AssertionError, RuntimeError)):
        torch.zeros(1, device="cuda")
