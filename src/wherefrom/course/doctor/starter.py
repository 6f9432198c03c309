"""What students are handed: a course's files without the solutions.

Between `### START_CODE_HERE ###` and `### END_CODE_HERE ###` nothing is left but a placeholder;
what stands between `### SOLUTION_ONLY ###` and its end is left out, marks and all.
"""

import re

START, END = "### START_CODE_HERE ###", "### END_CODE_HERE ###"
ONLY, END_ONLY = "### SOLUTION_ONLY ###", "### END_SOLUTION_ONLY ###"
_SOLUTION = re.compile(rf"(?ms)^( *){START}\n(.*?)^ *{END}$")
_LEFT_OUT = re.compile(rf"(?ms)^ *{ONLY}\n.*?^ *{END_ONLY}\n")


def blank(source: str, raising: bool = False) -> str:
    """A file's text without its solutions; as valid as it was before.

    A placeholder raises NotImplementedError where the solution returns something, so that nothing
    is taken for having returned None; elsewhere it passes, unless all are to be `raising`.
    """

    def placeholder(region: re.Match[str]) -> str:
        returns = raising or re.search(rf"(?m)^{region[1]}return", region[2])
        lines = (START, "raise NotImplementedError" if returns else "pass", END)
        return "\n".join(f"{region[1]}{line}" for line in lines)

    return _SOLUTION.sub(placeholder, _LEFT_OUT.sub("", source))
