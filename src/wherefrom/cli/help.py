"""How help is written: commands and options in groups, and nothing cut short.

A group is what typer calls a help panel. Typer itself shows panels only with rich, which takes
longer to import than typer.
"""

from collections.abc import Iterable
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

OPTIONS, ADVANCED = "Options", "Advanced options"


class Command(TyperCommand):
    """A command whose first paragraph is its description in lists."""

    def get_short_help_str(self, limit: int = 0) -> str:
        return _first_paragraph(self.help)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        _write_parameters(self, ctx, formatter)


class Group(TyperGroup):
    """A command with commands of its own."""

    def get_short_help_str(self, limit: int = 0) -> str:
        return _first_paragraph(self.help)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        _write_parameters(self, ctx, formatter)
        commands = self.commands.items()
        panels = (getattr(c, "rich_help_panel", None) or "Commands" for _, c in commands)
        rows = ((name, command.get_short_help_str()) for name, command in commands)
        _write_groups(zip(panels, rows, strict=True), formatter)


def make_group(text: str) -> typer.Typer:
    """A command with commands of its own; by itself, it prints its help."""
    made = typer.Typer(cls=Group, help=text, rich_markup_mode=None)

    @made.callback(invoke_without_command=True)
    def show(context: typer.Context) -> None:  # pyright: ignore[reportUnusedFunction]
        if context.invoked_subcommand is None:
            print(context.get_help())

    return made


def _first_paragraph(text: str | None) -> str:
    return " ".join((text or "").split("\n\n")[0].split())


def _write_parameters(command: Any, ctx: Any, formatter: Any) -> None:
    rows: list[tuple[str, Any]] = []
    for parameter in command.get_params(ctx):
        if (row := parameter.get_help_record(ctx)) is not None:
            usual = "Arguments" if parameter.param_type_name == "argument" else OPTIONS
            rows.append((getattr(parameter, "rich_help_panel", None) or usual, row))
    _write_groups(sorted(rows, key=lambda row: row[0] == ADVANCED), formatter)  # they come last


def _write_groups(rows: Iterable[tuple[str, Any]], formatter: Any) -> None:
    """Each group under its title, in the order in which the groups begin."""
    groups: dict[str, list[Any]] = {}
    for title, row in rows:
        groups.setdefault(title, []).append(row)
    for title, group in groups.items():
        with formatter.section(title):
            formatter.write_dl(group)
