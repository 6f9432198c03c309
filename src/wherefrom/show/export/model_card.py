"""What stands beside an exported model in words: its card, and the task that scores it.

Every figure comes from the run's results, from its audit, or from the export itself.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wherefrom.auditing.audit_findings import read_findings
from wherefrom.core.measures import measured
from wherefrom.evaluation.evaluator import Score
from wherefrom.runs.folder import versions
from wherefrom.runs.opened_run import Run
from wherefrom.show.terminal.result_tables import results_table


def write_card(run: Run, name: str, architecture: str, accuracy: Score | None, task: str) -> str:
    """README.md: what the model knows, how sure it is, what it must not be used for.

    `accuracy` is that of a model which answers questions, asked as the folder's example asks.
    """
    return _fill(
        "model_card.md",
        recipe=run.recipe,
        name=name,
        parameters=run.cost(name)["parameters"],
        characters=len(run.vocabulary),
        version=versions().get("wherefrom", ""),
        architecture=architecture,
        accuracy=accuracy,
        table=results_table(run.results),
        audit=read_findings(run) if accuracy and name == run.recipe.primary else None,
        task=task,
        share=_share,
    )


def write_task(task: str, mask: str, generation: Mapping[str, Any]) -> str:
    """The task file of lm-evaluation-harness, which has a name of its own for the room."""
    own = ("do_sample", "num_beams", "length_penalty")
    search = {name: generation[name] for name in own if name in generation}
    search["max_gen_toks"] = generation["max_new_tokens"]
    return _fill("task.yaml", task=task, mask=mask, search=search)


def _fill(template: str, **values: Any) -> str:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # slow to import

    loader = FileSystemLoader(Path(__file__).parent / "templates")
    environment = Environment(loader=loader, undefined=StrictUndefined, trim_blocks=True)
    return environment.get_template(template).render(values) + "\n"


def _share(result: Mapping[str, Any]) -> str:
    """A share with its interval, as the results have them."""
    low, high = result["interval"]
    return f"{measured(result)[1]:.1%}, 95 % interval {100 * low:.1f} to {100 * high:.1f}"
