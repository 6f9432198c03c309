"""docs/COMMANDS.md is what the commands say of themselves."""

import os
import subprocess
import sys
from typing import Annotated

import typer

from wherefrom.cli.main import app
from wherefrom.cli.reference import main, reference


def test_the_page_is_up_to_date(request):
    """`make docs` writes it anew."""
    page = request.config.rootpath / "docs" / "COMMANDS.md"
    assert page.read_text("utf-8") == reference()


def test_every_command_and_option_is_there():
    page = reference()
    root = typer.main.get_command(app)
    for name, command in root.commands.items():  # pyright: ignore
        inner = getattr(command, "commands", None)
        for path, each in {f"{name} {n}": c for n, c in (inner or {}).items()}.items() or [
            (name, command)
        ]:
            start = page.index(f"\n## `wherefrom {path}`\n")
            section = page[start : page.index("\n## ", start + 1)]
            for parameter in each.params:
                if parameter.param_type_name == "option":
                    assert all(f"`{opt}" in section for opt in parameter.opts)
                else:
                    shown = parameter.metavar.removesuffix("...").replace("|", "\\|")
                    assert f"\n| `{shown}` |" in section


def test_a_command_is_described_by_usage_help_arguments_and_options():
    application = typer.Typer(rich_markup_mode=None)

    @application.callback()
    def root(debug: Annotated[bool, typer.Option("--debug", help="Show more.")] = False) -> None:
        pass

    @application.command("draw")
    def draw(
        files: Annotated[list[str], typer.Argument(metavar="FILE...", help="What to\n draw.")],
        device: Annotated[str, typer.Option(metavar="cpu|cuda", help="Where <it> runs.")] = "cpu",
        size: Annotated[int | None, typer.Option(metavar="N", min=1, help="In pixels.")] = None,
        secret: Annotated[bool, typer.Option("--secret", hidden=True)] = False,
    ) -> None:
        """Draw files.

        One page for
        each.
        """

    page = reference(application)
    assert "| [`wherefrom draw`](#wherefrom-draw) | Draw files. |" in page
    assert "| `--debug` | Show more. |  |" in page
    start = page.index("## `wherefrom draw`")
    assert (
        page[start : page.index("\n## Exit codes")]
        == """## `wherefrom draw`

    wherefrom draw [OPTIONS] FILE...

Draw files.

One page for each.

| argument | what it does | default |
| --- | --- | --- |
| `FILE` | What to draw. | required |

| option | what it does | default |
| --- | --- | --- |
| `--device cpu\\|cuda` | Where &lt;it&gt; runs. | `cpu` |
| `--size N` | In pixels. At least 1. |  |
"""
    )


def test_every_row_has_as_many_cells_as_its_heading():
    width = 0
    for line in reference().splitlines():
        cells = line.replace("\\|", "").count("|") if line.startswith("|") else 0
        assert not width or not cells or cells == width
        width = cells


def test_the_terminal_makes_no_difference():
    program = "from wherefrom.cli.reference import reference; print(reference(), end='')"
    for given in ({"COLUMNS": "40", "NO_COLOR": "1"}, {"COLUMNS": "400", "FORCE_COLOR": "1"}):
        found = subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | given | {"PYTHONUTF8": "1"}, capture_output=True, check=True,
        )  # fmt: skip
        assert found.stdout.decode() == reference()


def test_the_check_fails_for_another_text_and_names_the_remedy(tmp_path, capsys):
    page = tmp_path / "COMMANDS.md"
    assert main([str(page)]) == 0
    assert main([str(page), "--check"]) == 0
    page.write_text(page.read_text("utf-8").replace("wherefrom ask", "wherefrom asks"), "utf-8")
    capsys.readouterr()
    assert main([str(page), "--check"]) == 78
    assert "run 'make docs'" in capsys.readouterr().err
    assert main([str(tmp_path / "none.md"), "--check"]) == 66
