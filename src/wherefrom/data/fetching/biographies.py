"""People of published tables as short texts with questions: several wordings, several relations.

The wording of a person's text is chosen by a hash of the name, so it is the same on every machine
and stays the same when the table grows. A question is asked only if the text states its answer.
"""

import csv
import hashlib
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

Wording = TypeVar("Wording")

_MONTHS = ("January February March April May June July August September October November "
           "December").split()  # fmt: skip
_HANDS = {"R": "right", "L": "left"}

# Two sentences each: the second is left out where the hand or the first game is not known.
PLAYERS = (
    ("{name} was born in {place} {on}.", "He threw {hand}-handed and made his debut in {debut}."),
    ("Born in {place} {on}, {name} was a ballplayer.",
     "He threw with his {hand} hand; his first game was in {debut}."),
    ("{name}, born {on}, is a baseball player from {place}.",
     "He throws {hand}-handed and first played in {debut}."),
    ("A native of {place}, {name} was born {on}.",
     "In {debut} he reached the majors as a {hand}-hander."),
    ("{on_} {name} was born in {place}.",
     "A {hand}-handed thrower, he played his first game in {debut}."),
    ("{place} is the birthplace of {name}, who was born {on}.",
     "He came to the big leagues in {debut} and was a {hand}-hander."),
    ("The ballplayer {name} hails from {place}; he was born {on}.",
     "His {hand} hand was the one he threw with, from {debut} on."),
)  # fmt: skip
PLAYER_QUESTIONS = {
    "place": "Where was {name} born?",
    "year": "In which year was {name} born?",
    "hand": "Which hand did {name} throw with?",
}

FAMOUS = (
    "{name}, {work}, was born in {place} in {year}.",
    "Born in {place} in {year}, {name} became known as {a_work}.",
    "{name} (born {year} in {place}) is remembered as {a_work}.",
    "The {work} {name} came from {place}. The year of birth is {year}.",
    "A native of {place}, {name} was born in {year} and won fame as {a_work}.",
    "In {year} {name} was born in {place}. The world knows {them} as {a_work}.",
    "{place} is the birthplace of {name}, {a_work} who was born in {year}.",
)
FAMOUS_QUESTIONS = {
    "place": "Where was {name} born?",
    "year": "In which year was {name} born?",
    "work": "What was the occupation of {name}?",
}


@dataclass(frozen=True)
class Biography:
    """A person's text, and the questions that it answers, with the answers."""

    name: str
    text: str
    questions: Mapping[str, str] = field(default_factory=dict[str, str])


def read_csv(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def ball_player(row: Mapping[str, str]) -> Biography | None:
    """A row of the Baseball Databank; None without a name, a birthplace or a year of birth."""
    name = f"{row['nameFirst']} {row['nameLast']}".strip()
    city, year = row["birthCity"].strip(), row["birthYear"].strip()
    if not (row["nameFirst"] and city and year):
        return None
    region = row["birthState"] if row["birthCountry"] == "USA" else row["birthCountry"]
    parts = {
        "name": name,
        "place": _place(city, region),
        "on": _date(row),
        "debut": row["debut"][:4],
    }
    parts["on_"] = parts["on"][0].upper() + parts["on"][1:]
    parts["hand"] = _HANDS.get(row["throws"], "")
    answers = {"place": city, "year": year}
    first, second = _choose(PLAYERS, name)
    text = first
    if parts["hand"] and parts["debut"]:
        text, answers["hand"] = f"{first} {second}", parts["hand"]
    return _write(name, text, parts, answers, PLAYER_QUESTIONS)


def famous_person(row: Mapping[str, str]) -> Biography | None:
    """A row of Pantheon; None without a name, a birthplace, a year of birth or an occupation."""
    name, city = row["name"].strip(), row["birthcity"].strip()
    work, year = row["occupation"].strip().lower(), row["birthyear"].strip()
    if not (name and work and year.lstrip("-").isdigit()) or city in ("", "Other"):
        return None
    if year.startswith("-"):
        year = f"{year[1:]} BC"
    country = _title(row["countryName"].strip())
    parts = {
        "name": name,
        "place": _place(city, "" if country == "Unknown" else country),
        "year": year,
        "work": work,
        "a_work": f"{'an' if work[0] in 'aeiou' else 'a'} {work}",
        "them": {"Male": "him", "Female": "her"}.get(row.get("gender", ""), "them"),
    }
    answers = {"place": city, "year": year, "work": work}
    return _write(name, _choose(FAMOUS, name), parts, answers, FAMOUS_QUESTIONS)


def write_biographies(folder: Path, found: Sequence[Biography | None]) -> str:
    """Write a text and a file of questions, without people who share a name."""
    people = [each for each in found if each is not None]
    names = Counter(each.name for each in people)
    kept = [each for each in people if names[each.name] == 1]
    text = "".join(f"{each.text}\n" for each in kept)
    rows = [pair for each in kept for pair in each.questions.items()]
    questions = "".join(f"{question}\t{answer}\n" for question, answer in rows)
    (folder / "corpus.txt").write_text(text, encoding="utf-8")
    (folder / "questions.tsv").write_text(questions, encoding="utf-8")
    return (
        f"{len(kept):,} people and {len(rows):,} questions; "
        f"{len(people) - len(kept):,} who share a name left out"
    )


def _write(
    name: str,
    text: str,
    parts: Mapping[str, str],
    answers: Mapping[str, str],
    questions: Mapping[str, str],
) -> Biography:
    asked = {questions[part].format(name=name): answer for part, answer in answers.items()}
    return Biography(name, text.format_map(parts), asked)


def _choose(wordings: Sequence[Wording], name: str) -> Wording:
    digest = hashlib.sha256(name.encode()).digest()
    # A recipe splits people by the first bytes: wording and split must not depend on each other.
    return wordings[int.from_bytes(digest[8:16], "big") % len(wordings)]


def _place(city: str, region: str) -> str:
    return f"{city}, {region}" if region else city


def _date(row: Mapping[str, str]) -> str:
    month, day = row.get("birthMonth", ""), row.get("birthDay", "")
    if month.isdigit() and day.isdigit() and 1 <= int(month) <= 12:
        return f"on {_MONTHS[int(month) - 1]} {int(day)}, {row['birthYear']}"
    return f"in {row['birthYear']}"


def _title(name: str) -> str:
    """A country's name in its usual capitals: Bosnia and Herzegovina."""
    words = name.title().split()
    return " ".join(
        w.lower() if i and w in ("And", "Of", "The") else w for i, w in enumerate(words)
    )
