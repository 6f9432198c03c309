"""What the starter's comments say in another year than the one that they are written for.

The code itself asks `current_year()`. Comments cannot, so the places where the hand-outs differ
are listed here; one that is no longer found is an error, not a comment that is silently wrong.
"""

import re
from collections.abc import Iterator, Mapping

from wherefrom.core.errors import BadData
from wherefrom.course.doctor.years import DEFAULT_YEAR, YEARS, Year

_PART = re.compile(r"\[part ([c-g])(?:: (\w+))?\]")
_EXAMPLES = "       (The course's worked examples have a third mask there: both are right.)\n"


def rewrite(text: str, file: str, name: str, letters: Mapping[str, str]) -> str:
    """A file of the starter as the year's hand-out has it; `letters` are its own, by the usual."""
    year = YEARS[name]
    own = {"dataset.py": _dataset, "helper.py": _helper, "utils.py": _utils}
    for old, new in own.get(file, _nothing)(year, name):
        if text.count(old) != 1:
            raise BadData(f"{file}: expected {old!r} once, found it {text.count(old)} times")
        text = text.replace(old, new)

    def part(match: re.Match[str]) -> str:
        if match[2] not in (None, year.variant):
            return "[another year's part g]"
        return f"[part {letters.get(match[1], match[1])}]"

    return _PART.sub(part, text)


def _nothing(_: Year, __: str) -> Iterator[tuple[str, str]]:
    yield from ()


def _dataset(year: Year, _: str) -> Iterator[tuple[str, str]]:
    share = {7 / 8: "7/8", 3 / 4: "3/4"}[year.longest]
    yield "int(block_size * 7/8) here", f"int(block_size * {share}) here"
    third = "" if year.third_mask else _EXAMPLES
    laid_out = f"block_size + {year.more}" if year.more else "block_size"
    yield "characters, which is block_size.\n", f"characters, which is {laid_out}.\n{third}"
    if not year.third_mask:
        yield "MASK suffix MASK stretch MASK  with", "MASK suffix MASK stretch  with"


def _helper(year: Year, _: str) -> Iterator[tuple[str, str]]:
    workers, passes = year.num_workers, year.passes
    yield "num_workers  # 4\n", f"num_workers  # {workers}\n"
    yield "  # 4, 200\n", f"  # {workers}, {passes}\n"
    yield (
        '    num_workers=4, writer=writer, stage="finetune_only"',
        f'    num_workers={workers}, writer=writer, stage="finetune_only"',
    )
    yield (
        "final_tokens=200*len(pretrain_dataset)*block_size, num_workers=4,\n",
        f"final_tokens={passes}*len(pretrain_dataset)*block_size, num_workers={workers},\n",
    )


def _utils(_: Year, name: str) -> Iterator[tuple[str, str]]:
    yield f'YEAR = "{DEFAULT_YEAR}"', f'YEAR = "{name}"'
