"""Progress of reading: nothing for a short text, a line every few seconds for a long one."""

import io

from wherefrom.core.progress import tell
from wherefrom.show.terminal.reading import ReadingProgress, watch_reading


def test_lines_come_every_few_seconds():
    now, out = [0.0], io.StringIO()
    progress = ReadingProgress(out, lambda: now[0])
    for second in range(9):
        now[0] = float(second)
        progress("reading a.txt", second, 10)
    assert out.getvalue() == "reading a.txt: 30%\nreading a.txt: 60%\n"


def test_a_short_text_says_nothing(capsys):
    with watch_reading():
        tell("reading a.txt", 1, 2)
    assert capsys.readouterr() == ("", "")
