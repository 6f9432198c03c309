"""Who is told of progress: whoever listens, and nobody else."""

from wherefrom.core.progress import listening, tell


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
