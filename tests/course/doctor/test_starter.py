from wherefrom.course.doctor.starter import END, END_ONLY, ONLY, START, blank

SOURCE = f"""import one
{ONLY}
import solved
{END_ONLY}
def f(x):
    {START}
    y = x + 1
    return y
    {END}


def g(x):
    {START}
    x.append(1)
    {END}
"""


def test_solutions_are_blanked_and_what_is_left_is_python():
    blanked = blank(SOURCE)
    assert "solved" not in blanked
    assert "y = x + 1" not in blanked
    assert "append" not in blanked
    assert blanked.count("raise NotImplementedError") == 2
    compile(blanked, "blanked", "exec")
