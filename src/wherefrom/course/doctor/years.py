"""Where the hand-outs of the years differ: the only table of it is `years.json`.

`course/a5` does what the year's hand-out says, and the checks expect it. A hand-out's own texts
may disagree: its template line and its worked examples about the third mask, its first sentence
and its last about the length of x and y. Then both forms are right, and a check only notes which
one it saw.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from wherefrom.core.errors import UsageError, nearest


@dataclass(frozen=True)
class Year:
    """What one hand-out asks for."""

    title: str
    third_mask: bool = True  # closes the span; False: not in the template, but in the examples
    longest: float = 7 / 8  # of the block: the longest text before corruption
    more: int = 0  # characters laid out beyond block_size: x and y have block_size - 1 + more
    bottleneck_dim: int = 64  # a perceiver's latents in run.sh
    num_workers: int = 4
    variant: str = "synthesizer"  # the attention of part g
    passes: int = 200  # epochs after whose tokens the cosine of pretraining ends
    # A package with helper.py and NameDataset(data, pretraining_dataset); else files side by side,
    # run.py does what helper.py would do, and the two arguments come the other way round.
    package: bool = True
    model_file: str = "model.py"
    archive: str = "assignment5_submission.zip"  # what is handed in
    packed: Sequence[str] = ()  # files in it besides code, parameters and predictions

    def laid_out(self, block: int) -> int:
        """Characters of an example before it is cut into x and y."""
        return block + self.more

    def sizes(self, block: int) -> tuple[int, ...]:
        """Lengths of x and y that the hand-out's texts allow, the usual one first.

        Every hand-out first says "tensors of length block_size". Then it lays out a text that
        gives one less, but for one year's, whose worked examples still have one less.
        """
        usual = self.laid_out(block) - 1
        return usual, 2 * block - 1 - usual

    def longest_text(self, block: int) -> int:
        """The longest text before corruption: its share of the block, with room for the masks."""
        masks = 3 if self.third_mask else 2
        return min(int(block * self.longest), self.laid_out(block) - masks)


LONDON = "london_baseline_accuracy.txt"
# docs/COURSE.md says how many public solutions each row was read from. Of 2024, the comments say 4
# workers in January and 0 from May on.
_ROWS = json.loads(Path(__file__).with_name("years.json").read_text("utf-8"))
YEARS = {name: Year(**row) for name, row in _ROWS.items()}
ALIASES = {"xcs2022": "xcs2021", "cs224n2022": "cs224n2021", "cs224n2025": "cs224n2024"}
DEFAULT_YEAR = "xcs2021"
VARIABLE = "A5_YEAR"


def year_name(name: str, where: str = "--year") -> str:
    """The table's own name of a year: some years share one hand-out."""
    name = ALIASES.get(name, name)
    if name not in YEARS:
        raise UsageError(f"{where}: no year '{name}'; {nearest(name, YEARS)}")
    return name


def describe(year: str) -> str:
    """What is said of the hand-out that a submission is held against."""
    return f"taken as {YEARS[year].title} ({year}); --year NAME chooses another"


def find_year(name: str, where: str = "--year") -> Year:
    return YEARS[year_name(name, where)]


def variant_of(names: Iterable[str]) -> str | None:
    """The variant whose parameters have these names; None if it has no known attention."""
    names = list(names)
    if any("down_block." in name for name in names):
        return "perceiver"
    if any(name.endswith("attn.w2") for name in names):
        return "synthesizer"
    if not any(name.endswith("attn.key.weight") for name in names):
        return None
    return "vanilla" if any(name.endswith("pos_emb") for name in names) else "rope"
