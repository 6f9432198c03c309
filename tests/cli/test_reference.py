"""docs/COMMANDS.md is what the commands say of themselves."""

from typing import Annotated

import typer

from wherefrom.cli.reference import main, reference


def test_the_page_is_up_to_date(request):
    """`make docs` writes it anew."""
    page = request.config.rootpath / "docs" / "COMMANDS.md"
    assert page.read_text("utf-8") == reference()


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


def test_the_check_fails_for_another_text_and_names_the_remedy(tmp_path, capsys):
    page = tmp_path / "COMMANDS.md"
    assert main([str(page)]) == 0
    assert main([str(page), "--check"]) == 0
    page.write_text(page.read_text("utf-8").replace("wherefrom ask", "wherefrom asks"), "utf-8")
    capsys.readouterr()
    assert main([str(page), "--check"]) == 78
    assert "run 'make docs'" in capsys.readouterr().err
    assert main([str(tmp_path / "none.md"), "--check"]) == 66
