"""Words after a number."""


def plural(word: str, number: int) -> str:
    several = {"person": "people"}.get(word, f"{word}s")
    return word if number == 1 else several
