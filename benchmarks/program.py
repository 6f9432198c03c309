"""How every program here begins and ends: with the package beside it, and errors in one line."""

import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

from wherefrom.core.errors import MissingInput, WherefromError  # noqa: E402
from wherefrom.core.files import one_line  # noqa: E402


def launch(main: Callable[[], object]) -> None:
    """Run a program and leave: a number that it returns is its exit code."""
    try:
        code = main()
    except (OSError, WherefromError) as error:
        print(f"{Path(sys.argv[0]).name}: {one_line(error)}", file=sys.stderr)
        code = getattr(error, "exit_code", MissingInput.exit_code)
    sys.exit(code if isinstance(code, int) else 0)
