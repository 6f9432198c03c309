"""Words after a number."""


def plural(word: str, number: int) -> str:
    several = {"person": "people"}.get(word, f"{word}s")
    return word if number == 1 else several


def counted(number: int, word: str) -> str:
    """1 row, 2,000 rows."""
    return f"{number:,} {plural(word, number)}"
