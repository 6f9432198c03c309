"""`wherefrom ask` on a terminal without a question: one question after the other."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from wherefrom.core.errors import WherefromError
from wherefrom.reading.index import fold
from wherefrom.show.terminal.colours import BOLD, DIM, RED, paint, paint_reply
from wherefrom.show.terminal.messages import printable
from wherefrom.show.terminal.reply_text import describe_reply

if TYPE_CHECKING:
    from wherefrom.answering.inspector import Inspector
    from wherefrom.answering.question_parser import QuestionParser
    from wherefrom.core.replies import Reply

_SHOWN = 3  # forms that the first lines show
_MOST = 100  # names that Tab offers


def converse(inspector: "Inspector", judge: "Callable[[Reply], Reply]") -> None:
    """Answer lines until there are no more; `judge` may withhold an answer."""
    parser = inspector.model.parser
    offer_names(parser)
    forms = " or ".join(f"'{form.fill('...')}'" for form in parser.forms[:_SHOWN])
    print(paint(f"Ask {printable(forms)}, or type a name. Tab completes, Ctrl-D leaves.", DIM))
    offered = ""
    for line in _read_lines():
        asked, near = parser.interpret(line or offered) if line or offered else ([], [])
        offered = near[0] if near else ""
        try:
            for parsed in map(inspector.parse, asked):
                reply = judge(*inspector.reply([parsed]))
                shown = paint_reply(reply, describe_reply(reply))
                print("\n".join(shown[reply.question == line :]))
                if reply.did_you_mean:
                    offered = parsed.form.fill(reply.did_you_mean[0])
                    print(f"  Enter asks: {paint(printable(offered), BOLD)}")
            if line and not asked:
                _explain(parser, near)
        except WherefromError as error:
            print(paint(f"  {printable(str(error))}", RED))
        except KeyboardInterrupt:
            print(paint("  stopped", RED))


def _read_lines() -> Iterator[str]:
    """What is typed, until Ctrl-D; Ctrl-C only forgets the line."""
    # The marks around the colours tell readline that they take no room.
    prompt = paint("? ", BOLD).replace("\x1b[", "\001\x1b[").replace("m", "m\002")
    while True:
        try:
            yield input(prompt).strip()
        except KeyboardInterrupt:
            print()
        except EOFError:
            print()
            return


def _explain(parser: "QuestionParser", near: list[str]) -> None:
    """A line in other words: the nearest question that the model was taught."""
    if near:
        print(f"  It was taught other words. Enter asks: {paint(printable(near[0]), BOLD)}")
        for other in near[1:]:
            print(f"  or type: {printable(other)}")
    else:
        taught = parser.forms[0].fill("...")
        print(f"  It was taught questions like '{printable(taught)}', and this is none.")


def offer_names(parser: "QuestionParser") -> None:
    """Tab completes the names of the text, where Python has readline."""
    with suppress(ImportError):
        import readline

        found: list[str] = []

        def complete(text: str, number: int) -> str | None:
            if number == 0:
                found[:] = complete_line(parser, text)
            return found[number] if number < len(found) else None

        readline.set_completer(complete)
        readline.set_completer_delims("\n")  # a name may have spaces: the whole line is completed
        edit = "libedit" in (readline.__doc__ or "")
        readline.parse_and_bind("bind ^I rl_complete" if edit else "tab: complete")


def complete_line(parser: "QuestionParser", line: str) -> list[str]:
    """The line with its last words completed to a name, and to a question if it has begun one."""
    starts = [i for i in range(len(line)) if i == 0 or line[i - 1] == " "]
    for start in starts:
        before, begun = line[:start], fold(line[start:])
        names = [name for name in parser.names if begun and fold(name).startswith(begun)]
        if names:
            forms = [f for f in parser.forms if fold(f.prefix) == fold(before)]
            rest = forms[0].suffix if forms and len(names) == 1 else ""
            return [f"{before}{name}{rest}" for name in names[:_MOST]]
    return []
