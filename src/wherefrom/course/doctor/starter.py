"""What students are handed: a course's files without the solutions.

Between `### START_CODE_HERE ###` and `### END_CODE_HERE ###` nothing is left but a placeholder;
what stands between `### SOLUTION_ONLY ###` and its end is left out, marks and all.
"""

import re

START, END = "### START_CODE_HERE ###", "### END_CODE_HERE ###"
ONLY, END_ONLY = "### SOLUTION_ONLY ###", "### END_SOLUTION_ONLY ###"
_SOLUTION = re.compile(rf"(?ms)^( *){START}\n.*?^ *{END}$")
_LEFT_OUT = re.compile(rf"(?ms)^ *{ONLY}\n.*?^ *{END_ONLY}\n")


def blank(source: str) -> str:
    """A file's text without its solutions; as valid as it was before.

    A placeholder raises NotImplementedError, so that nothing is taken for having been done.
    """
    left = rf"\1{START}\n\1raise NotImplementedError\n\1{END}"
    return _SOLUTION.sub(left, _LEFT_OUT.sub("", source))
