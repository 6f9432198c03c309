"""Wherefrom teaches a small language model facts from text and says where answers come from.

The names below are those of `wherefrom.api`, where they are described. They are loaded when
they are first used, so that importing the package, and `wherefrom --help`, need no torch.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wherefrom.api import (
        Explanation,
        Outcome,
        PerplexityReport,
        Recipe,
        RecipeEntry,
        Reply,
        Run,
        RunComparison,
        RunEntry,
        SeedsOutcome,
        WherefromError,
        ask,
        build_recipe,
        compare,
        explain,
        get_recipe,
        list_recipes,
        list_runs,
        open_run,
        perplexity,
        run,
        sample,
    )

__all__ = [
    "Explanation", "Outcome", "PerplexityReport", "Recipe", "RecipeEntry", "Reply", "Run",
    "RunComparison", "RunEntry", "SeedsOutcome", "WherefromError",
    "ask", "build_recipe", "compare", "explain", "get_recipe", "list_recipes", "list_runs",
    "open_run", "perplexity", "run", "sample",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'wherefrom' has no attribute '{name}'")
    from wherefrom import api

    return getattr(api, name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
