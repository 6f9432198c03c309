"""Wherefrom teaches a small language model facts from text and says where answers come from.

The names below are those of `wherefrom.api`, where they are described; `wherefrom.data` and
`wherefrom.doctor` are packages of functions of their own. All are loaded when they are first used,
so that importing the package, and `wherefrom --help`, need no torch.
"""

from typing import TYPE_CHECKING, Any

from wherefrom.core.environment import prepare_library

if TYPE_CHECKING:
    from wherefrom import data
    from wherefrom.api import (
        Audit,
        Dispute,
        Examples,
        Explanation,
        Fault,
        Outcome,
        PerplexityReport,
        Recipe,
        RecipeEntry,
        Replies,
        Reply,
        Report,
        Run,
        RunComparison,
        RunEntry,
        SeedsOutcome,
        Source,
        Verdict,
        Verification,
        WherefromError,
        ask,
        audit,
        build_recipe,
        compare,
        dispute,
        evaluate,
        examples,
        explain,
        get_recipe,
        list_recipes,
        list_runs,
        open_run,
        perplexity,
        run,
        run_seeds,
        sample,
        to_json,
        verify,
        write_report,
    )
    from wherefrom.course import doctor

__all__ = [
    "Audit", "Dispute", "Examples", "Explanation", "Fault", "Outcome",
    "PerplexityReport", "Recipe", "RecipeEntry", "Replies", "Reply", "Report", "Run",
    "RunComparison", "RunEntry", "SeedsOutcome", "Source", "Verdict", "Verification",
    "WherefromError",
    "ask", "audit", "build_recipe", "compare", "data", "dispute", "doctor",
    "evaluate", "examples", "explain", "get_recipe", "list_recipes", "list_runs",
    "open_run", "perplexity", "run", "run_seeds", "sample", "to_json",
    "verify", "write_report",
]  # fmt: skip


_MODULES = {"data": "wherefrom.data", "doctor": "wherefrom.course.doctor"}

prepare_library()  # before torch is loaded, which happens with the first of these names


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'wherefrom' has no attribute '{name}'")
    from importlib import import_module

    if name in _MODULES:
        return import_module(_MODULES[name])
    if name == "verify":  # checking files needs no torch
        return import_module("wherefrom.runs.verification").verify
    return getattr(import_module("wherefrom.api"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
