"""Where the hand-outs of the years differ: the only table of it.

`course/a5` does what the year's hand-out says, and the checks expect it.
"""

from dataclasses import dataclass

from wherefrom.core.errors import UsageError, nearest


@dataclass(frozen=True)
class Year:
    """What one hand-out asks for."""

    third_mask: bool = True  # closes the span of a corrupted text
    longest: float = 7 / 8  # of the block: the longest text before corruption
    more: int = 0  # characters laid out beyond block_size: x and y have block_size - 1 + more
    bottleneck_dim: int = 64  # a perceiver's latents in run.sh
    num_workers: int = 4
    variant: str = "synthesizer"  # the attention of part g

    def laid_out(self, block: int) -> int:
        """Characters of an example before it is cut into x and y."""
        return block + self.more

    def longest_text(self, block: int) -> int:
        """The longest text before corruption: its share of the block, with room for the masks."""
        masks = 3 if self.third_mask else 2
        return min(int(block * self.longest), self.laid_out(block) - masks)


YEARS = {
    "xcs2022": Year(),
    "cs224n2022": Year(third_mask=False, bottleneck_dim=32),
    "cs224n2024": Year(longest=3 / 4, more=1, bottleneck_dim=32, num_workers=0, variant="rope"),
}
DEFAULT_YEAR = "xcs2022"
VARIABLE = "A5_YEAR"


def find_year(name: str, where: str = "--year") -> Year:
    if name not in YEARS:
        raise UsageError(f"{where}: no year '{name}'; {nearest(name, YEARS)}")
    return YEARS[name]
