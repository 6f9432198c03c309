import io

import numpy as np

from wherefrom.core.durations import duration
from wherefrom.core.progress import tell
from wherefrom.show.terminal.progress_lines import (
    ReadingProgress,
    TrainingProgress,
    mean_loss,
    watch_reading,
)


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


METRICS = {"loss": np.array([0.5, 1.0, np.nan]), "targets": np.array([30, 10, 0])}


def test_plain_lines_come_every_few_seconds_and_say_what_is_left():
    file, clock = io.StringIO(), Clock()
    progress = TrainingProgress(["pretrain", "more"], file=file, clock=clock)
    progress.started("pretrain", 0, 2400, ())
    for step, now in ((100, 104), (270, 110), (300, 111), (540, 120)):
        clock.now = now
        progress.advanced("pretrain", step, 2400, METRICS, now - 100)
    progress.finished("pretrain", 2400, 88.4)
    assert file.getvalue().splitlines() == [
        "pretrain: 2400 steps",
        "pretrain: step 270 of 2400, loss 0.62, 27 steps/s, about 79 s left",
        "pretrain: step 540 of 2400, loss 0.62, 27 steps/s, about 69 s left",
        "pretrain: done in 88 s",
    ]


def test_steps_of_an_interrupted_part_do_not_count_as_speed():
    file, clock = io.StringIO(), Clock()
    progress = TrainingProgress(["pretrain"], "seed 3, ", file, clock)
    progress.started("pretrain", 1200, 2400, ())
    clock.now += 10
    progress.advanced("pretrain", 1300, 2400, METRICS, 70.0)
    progress.finished("pretrain", 2400, 190.0)
    assert file.getvalue().splitlines() == [
        "seed 3, pretrain: continuing from step 1200 (checksum verified)",
        "seed 3, pretrain: step 1300 of 2400, loss 0.62, 10 steps/s, about 1 min 50 s left",
        "seed 3, pretrain: done in 3 min 10 s",
        "seed 3, evaluating",
    ]


def test_skipped_checkpoints_and_finished_stages_are_told():
    file = io.StringIO()
    progress = TrainingProgress(["pretrain", "more"], file=file)
    progress.started("pretrain", 40, 40, ("step-60: damaged",))
    progress.finished("pretrain", 40, 3.0)
    progress.started("more", 0, 40, ("step-20: damaged",))
    assert file.getvalue().splitlines() == [
        "pretrain: checkpoint skipped: step-60: damaged",
        "pretrain: trained already, 40 steps (checksum verified)",
        "more: checkpoint skipped: step-20: damaged",
        "more: no checkpoint left, starting from step 0",
    ]


def test_on_a_terminal_a_line_about_steps_replaces_the_one_before(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")
    file, clock = Terminal(), Clock()
    with TrainingProgress(["pretrain"], file=file, clock=clock) as progress:
        progress.started("pretrain", 0, 2400, ())
        for step in (600, 1200):
            clock.now += 1
            progress.advanced("pretrain", step, 2400, METRICS, 1.0)
        progress.say("saved")
        clock.now += 1
        progress.advanced("pretrain", 1800, 2400, METRICS, 1.0)
    first, second, third = (
        f"pretrain: [{bar:-<24}] step {step} of 2400, loss 0.62"[:59]
        for bar, step in (("#" * 6, 600), ("#" * 12, 1200), ("#" * 18, 1800))
    )
    assert file.getvalue() == (
        f"pretrain: 2400 steps\n{first}\r\x1b[K{second}\r\x1b[Ksaved\n{third}\r\x1b[K"
    )


def test_durations_and_a_loss_without_targets():
    assert mean_loss({"loss": np.array([np.nan]), "targets": np.array([0])}) == "none"
    said = ["0.4 s", "12 s", "1 min 40 s", "1 h 0 min", "2 h 13 min"]
    assert [duration(seconds) for seconds in (0.42, 12.3, 99.7, 3600, 8000)] == said


def test_reading_a_long_text_says_a_line_every_few_seconds_and_a_short_one_nothing(capsys):
    file, clock = io.StringIO(), Clock()
    progress = ReadingProgress(file, clock)
    for second in range(9):
        clock.now = 100.0 + second
        progress("reading a.txt", second, 10)
    assert file.getvalue() == "reading a.txt: 30%\nreading a.txt: 60%\n"
    with watch_reading():
        tell("reading a.txt", 1, 2)
    assert capsys.readouterr() == ("", "")
