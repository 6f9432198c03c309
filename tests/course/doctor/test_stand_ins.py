"""Stand-ins for what is not installed: the hand-outs' own lines work with them."""

import subprocess
import sys

# As on a machine where none of them is installed.
PROGRAM = """
import importlib.util, sys
known = importlib.util.find_spec
from wherefrom.course.doctor import stand_ins
hidden = stand_ins.PROVIDED
importlib.util.find_spec = lambda name, *rest: None if name in hidden else known(name, *rest)
for loaded in [name for name in sys.modules if name.split(".")[0] in hidden]:
    del sys.modules[loaded]
print(stand_ins.provide() == list(stand_ins.PROVIDED))
from tqdm import tqdm, trange
from tqdm.auto import tqdm as other
from docopt import docopt
import timeout_decorator, wandb
import torch
from torch.utils.tensorboard import SummaryWriter
bar = tqdm(enumerate("ab"), total=2)
for number, letter in bar:
    bar.set_description(f"{letter} {number}")
    print(letter, number)
print(list(trange(2)), len(other([1, 2, 3])))
writer = SummaryWriter(log_dir="expt/run")
print(writer.add_scalar("train/loss", 1.0, 1), writer.close())
print(timeout_decorator.timeout(3)(max)(1, 2))
"""


def test_what_is_missing_is_provided(tmp_path):
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True,
                          check=True, cwd=tmp_path)  # fmt: skip
    assert done.stdout.splitlines() == ["True", "a 0", "b 1", "[0, 1] 3", "None None", "2"]
    assert list(tmp_path.iterdir()) == []
