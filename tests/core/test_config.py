import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from wherefrom.core.config import (
    Config,
    TaggedConfig,
    check,
    decode,
    encode,
    from_json,
    overlay,
    parse_toml,
    to_json,
    to_toml,
)
from wherefrom.core.errors import BadData, UsageError


class Square(TaggedConfig, frozen=True, tag="square"):
    side: float = 1.0

    def __post_init__(self) -> None:
        check(self.side > 0, "Square", "side", self.side, "a number above 0")


class Circle(TaggedConfig, frozen=True, tag="circle"):
    radius: float
    filled: bool = False


class Pen(Config, frozen=True):
    width: int = 1
    colour: str = "black"


class Layer(Config, frozen=True):
    name: str
    shape: Any
    pen: Pen = Pen()


class Drawing(Config, frozen=True):
    title: str
    layers: tuple[Layer, ...]
    scale: float = 1.0
    copies: int = 1
    shown: bool = True
    tags: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()
    author: str | None = None
    pages: int | None = None


KINDS = {"square": Square, "circle": Circle}
DRAWING = Drawing(
    "house",
    (Layer("walls", Square(3.0)), Layer("sun", Circle(0.5, True), Pen(2, "gold"))),
    tags=("a", "b"),
)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("scale", "1e-3", 1e-3),
        ("copies", "1000", 1000),
        ("shown", "false", False),
        ("tags", "c, d", ("c", "d")),
        ("tags", "", ()),
        ("sizes", "3,4", (3, 4)),
        ("pages", "7", 7),
        ("scale", 2, 2.0),
        ("sizes", [5], (5,)),
    ],
)
def test_text_is_read_as_the_field_wants_it(name, text, expected):
    changed = overlay(DRAWING, {name: text}, KINDS)
    assert type(getattr(changed, name)) is type(expected)
    assert changed == replace(DRAWING, **{name: expected})


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"titel": "x"}, "titel: no such field; did you mean 'title'"),
        ({"layers": {"son": {}}}, "layers.son: no such field; did you mean 'sun'"),
        ({"layers": {"sun": {"pen": {"widht": "1"}}}}, "layers.sun.pen.widht: no such field; did"),
        ({"layers": {"sun": "1"}}, "layers.sun: expected a table, found '1'"),
        ({"layers": {"sun": {"pen": 3}}}, "layers.sun.pen: expected a table, found 3"),
        ({"title": {"length": "1"}}, "title: Expected `str`, got `object`"),
        ({"tags": {"a": {"b": 1}}}, "tags: Expected `array`, got `object`"),
        ({"sizes": "1,x"}, "sizes[1]: Expected `int`, got `str`"),
        ({"layers": {"sun": {"pen": {"width": "x"}}}}, "layers.sun.pen.width: Expected `int`"),
        ({"layers": {"walls": {"shape": {"side": "-1"}}}}, "layers.walls.shape.side: exp"),
        ({"layers": {"sun": {"shape": {"kind": "sqare"}}}}, "shape: unknown kind 'sqare'; did you"),
        ({"layers": {"sun": {"shape": {"kind": "square", "radius": 1}}}}, "field `radius`"),
    ],
)
def test_overlay_says_where_and_what_is_wrong(table, message):
    with pytest.raises(UsageError) as error:
        overlay(DRAWING, table, KINDS)
    assert message in str(error.value)


def test_overlay_of_the_same_kind_keeps_the_fields_it_does_not_name():
    table = {"layers": {"sun": {"shape": {"kind": "circle", "radius": 4}}}}
    assert overlay(DRAWING, table, KINDS).layers[1].shape == Circle(4.0, filled=True)


ODD = st.text() | st.sampled_from(['"', "\\", "a\nb\r\n", "\x00\x7f\x85", "é😀", "'''", "[x]\n#"])
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)  # as every field of a recipe
DRAWINGS = st.builds(
    Drawing,
    title=ODD,
    layers=st.lists(
        st.builds(
            Layer,
            name=ODD,
            shape=st.builds(Circle, NUMBERS, st.booleans())
            | st.builds(Square, st.floats(0, exclude_min=True, allow_infinity=False)),
            pen=st.builds(Pen, st.integers(), ODD),
        ),
        max_size=3,
        unique_by=lambda layer: layer.name,
    ).map(tuple),
    scale=NUMBERS,
    copies=st.integers(),
    shown=st.booleans(),
    tags=st.lists(ODD, max_size=3).map(tuple),
    sizes=st.lists(st.integers(), max_size=3).map(tuple),
    author=st.none() | ODD,
    pages=st.none() | st.integers(),
)


@given(DRAWINGS)
def test_toml_reads_back_to_the_same_config(drawing):
    data = parse_toml(to_toml(drawing), "x.toml")
    assert data == encode(drawing)
    assert decode(Drawing, data, KINDS) == drawing


# --- findings as JSON --------------------------------------------------------------------------


@dataclass(frozen=True)
class Measure:
    value: float
    interval: tuple[float, float]
    unit: str | None = None


@dataclass(frozen=True)
class Witness:
    format_version: Literal[4] = field(default=4, kw_only=True)

    name: str
    seen: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Case:
    format_version: Literal[2] = field(default=2, kw_only=True)

    title: str
    best: Measure | None
    measures: Mapping[str, Measure]
    tags: frozenset[str]
    counts: tuple[int, ...]
    place: tuple[str, int, bool]
    chief: Witness | None = None
    closed: bool = False


CASE = Case(
    "one",
    None,
    {"a": Measure(0.5, (0.25, 0.75), "m"), "b": Measure(1.0, (1.0, 2.0))},
    frozenset({"y", "x"}),
    (3, 1, 2),
    ("here", 7, True),
    Witness("Ada", (("Bo", 2), ("Cy", 0))),
)
WRITTEN: dict[str, Any] = {
    "format_version": 2,
    "title": "one",
    "best": None,
    "measures": {
        "a": {"value": 0.5, "interval": [0.25, 0.75], "unit": "m"},
        "b": {"value": 1.0, "interval": [1.0, 2.0], "unit": None},
    },
    "tags": ["x", "y"],
    "counts": [3, 1, 2],
    "place": ["here", 7, True],
    "chief": {"format_version": 4, "name": "Ada", "seen": [["Bo", 2], ["Cy", 0]]},
    "closed": False,
}


def test_every_field_is_written_by_its_name_and_none_as_null_and_read_again():
    found = to_json(CASE)
    assert found == WRITTEN
    assert from_json(Case, json.loads(json.dumps(found)), "case") == CASE
    assert next(iter(found)) == "format_version", "a reader meets it first"
    assert list(found)[1:] == list(WRITTEN)[1:], "fields in the order of the class"


def test_an_error_is_written_as_its_text_and_a_class_may_have_a_form_of_its_own():
    @dataclass(frozen=True)
    class Odd:
        inner: int

        def as_json(self) -> dict[str, int]:
            return {"twice": 2 * self.inner}

    found = to_json({"why": BadData("x.txt: expected y"), "odd": (Odd(3),)})
    assert found == {"why": "x.txt: expected y", "odd": [{"twice": 6}]}


def changed(*where: str | int, to: Any = ...) -> dict[str, Any]:
    """What was written with one value changed, or taken out."""
    data = part = json.loads(json.dumps(WRITTEN))
    for name in where[:-1]:
        part = part[name]
    if to is ...:
        del part[where[-1]]
    else:
        part[where[-1]] = to
    return data


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "case: Expected `object`, got `array`"),
        (changed("format_version", to=3), "case.format_version: Invalid enum value 3"),
        (changed("chief", "format_version", to=2), "case.chief.format_version: Invalid"),
        (changed("best"), "case: Object missing required field `best`"),  # it may be null
        (changed("title", to=None), "case.title: Expected `str`, got `null`"),
        (changed("closed", to=1), "case.closed: Expected `bool`, got `int`"),
        (changed("best", to=3), "case.best: Expected `object | null`, got `int`"),
        (changed("measures", to=[1]), "case.measures: Expected `object`, got `array`"),
        (changed("measures", "a", "value", to=True), "case.measures[...].value: Expected `float`"),
        (
            changed("measures", "a", "interval", 1, to="x"),
            "case.measures[...].interval[1]: Expected `float`, got `str`",
        ),
        (changed("tags", to="xy"), "case.tags: Expected `array`, got `str`"),
        (changed("counts", 2, to=1.5), "case.counts[2]: Expected `int`, got `float`"),
        (changed("chief", "seen", 1, to=["x"]), "case.chief.seen[1]: Expected `array` of length 2"),
    ],
)
def test_what_is_wrong_with_a_finding_is_named(data, message):
    with pytest.raises(BadData) as error:
        from_json(Case, data, "case")
    assert str(error.value).startswith(message)
