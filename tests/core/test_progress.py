"""Who is told of progress: whoever listens, and nobody else."""

from wherefrom.core.progress import listening, tell, telling


def test_the_innermost_listener_is_told():
    told: list[tuple[str, int, int]] = []
    tell("before", 0, 1)
    with listening(lambda *parts: told.append(parts)):
        tell("reading", 1, 2)
        with listening(lambda *parts: None):
            tell("elsewhere", 1, 1)
        tell("reading", 2, 2)
    tell("after", 1, 1)
    assert told == [("reading", 1, 2), ("reading", 2, 2)]


def test_items_pass_unchanged_and_are_counted_now_and_then():
    told: list[tuple[str, int, int]] = []
    with listening(lambda *parts: told.append(parts)):
        assert list(telling("counting", range(50_000))) == list(range(50_000))
        assert list(telling("nothing", ())) == []
    assert told == [("counting", n, 50_000) for n in (0, 20_000, 40_000)]
