"""What students are handed: a course's files without the solutions.

Between `### START_CODE_HERE ###` and `### END_CODE_HERE ###` nothing is left but a placeholder;
what stands between `### SOLUTION_ONLY ###` and its end is left out, marks and all.
"""

from collections.abc import Iterator

from wherefrom.core.errors import BadData

START, END = "### START_CODE_HERE ###", "### END_CODE_HERE ###"
ONLY, END_ONLY = "### SOLUTION_ONLY ###", "### END_SOLUTION_ONLY ###"
CLOSES = {START: END, ONLY: END_ONLY}


def blank(source: str, name: str = "source", raising: bool = False) -> str:
    """A file's text without its solutions; as valid as it was before.

    A placeholder raises NotImplementedError where the solution returns something, so that nothing
    is taken for having returned None; elsewhere it passes, unless all are to be `raising`.
    """
    return "".join(f"{line}\n" for line in _blanked(source.splitlines(), name, raising))


def _blanked(lines: list[str], name: str, raising: bool) -> Iterator[str]:
    open_at, mark, body = 0, "", list[str]()
    for number, line in enumerate(lines, 1):
        word = line.strip()
        if word in (*CLOSES, *CLOSES.values()) and (word in CLOSES) == bool(mark):
            raise BadData(f"{name}:{number}: expected regions one after the other, found {word}")
        if word in CLOSES:
            open_at, mark, body = number, word, []
        elif not mark:
            yield line
        elif word != CLOSES[mark]:
            body.append(line)
        else:
            if mark == START:
                yield from _placeholder(lines[open_at - 1], body, line, raising)
            mark = ""
    if mark:
        raise BadData(f"{name}:{open_at}: expected {CLOSES[mark]} after {mark}, found none")


def _placeholder(first: str, body: list[str], last: str, raising: bool) -> Iterator[str]:
    indent = first[: len(first) - len(first.lstrip())]
    returns = raising or any(line.startswith(f"{indent}return") for line in body)
    yield from (first, f"{indent}{'raise NotImplementedError' if returns else 'pass'}", last)
