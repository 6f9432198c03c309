"""What typer refused before a command began, in the form that all errors have."""

from typing import Any

# What typer's validation found wrong, and what it would have taken; {} is the limit.
_WANTED = {
    "greater_than_equal": "at least {}",
    "greater_than": "more than {}",
    "less_than_equal": "at most {}",
    "less_than": "less than {}",
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_parsing": "a number",
    "float_type": "a number",
    "finite_number": "a finite number",
}


def describe_refused(error: Any) -> str:
    """One line about an error of typer's own parsing."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "wherefrom"
    described = _describe_value(error)
    if described is not None:
        return f"{described}; see '{path} --help'"
    return f"{' '.join(error.format_message().split())} Try '{path} --help'."


def _describe_value(error: Any) -> str | None:
    """Where, expected, found; None if typer does not say it."""
    listed = getattr(error.__cause__, "errors", None)
    names = getattr(getattr(error, "param", None), "opts", ())
    option = next((name for name in names if name.startswith("--")), None)
    if listed is None or option is None:
        return None
    problem = listed()[0]
    wanted = _WANTED.get(problem["type"])
    if wanted is None:
        return None
    limits = [f"{limit:g}" for limit in problem.get("ctx", {}).values()]
    return f"{option}: expected {wanted.format(*limits)}, found '{problem['input']}'"
