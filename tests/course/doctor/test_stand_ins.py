"""What stands in for modules that hand-outs import and that are not installed."""

import subprocess
import sys

# As on a machine where none of them is installed.
PROGRAM = """
import sys
from wherefrom.course.doctor import stand_ins
for loaded in [name for name in sys.modules if name.split(".")[0] in stand_ins.PROVIDED]:
    del sys.modules[loaded]
known = stand_ins.PathFinder.find_spec
class Nowhere(stand_ins.PathFinder):
    @classmethod
    def find_spec(cls, name, *rest):
        return None if name in stand_ins.PROVIDED else known(name, *rest)
stand_ins.PathFinder = Nowhere
sys.meta_path.insert(0, stand_ins.StandIns())
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
writer.add_scalar("train/loss", 1.0, 1)
writer.close()
print(timeout_decorator.timeout(3)(max)(1, 2))
"""


def test_what_is_missing_is_provided(tmp_path):
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True,
                          check=True, cwd=tmp_path)  # fmt: skip
    assert done.stdout.splitlines() == ["a 0", "b 1", "[0, 1] 3", "2"]
    assert list(tmp_path.iterdir()) == []
