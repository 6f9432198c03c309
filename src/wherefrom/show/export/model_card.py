"""The model card of an exported folder: what the model knows, how sure it is, what it is not for.

Every figure comes from the run's results, from its audit, or from the export itself.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from wherefrom.core.measures import measured
from wherefrom.evaluation.evaluator import Score
from wherefrom.runs.folder import versions
from wherefrom.runs.opened_run import Run
from wherefrom.show.page.judged_answers import read_findings
from wherefrom.show.terminal.result_tables import results_table

_LIMITS = """\
- Do not ask it about the real world. It repeats what one text says, mistakes included.
- Do not take an answer as knowledge. This folder has the network alone, and the network always
  answers, also about names that nobody has. The threshold below which Wherefrom says "I don't
  know", the check of names, the evidence and the source of an answer stay with the run:
  `wherefrom ask` gives them.
- Do not decide anything about a person with it.
- The tokens are single characters. A character that the text lacks raises an error.
"""


def write_card(run: Run, name: str, architecture: str, asked: Score | None, task: str) -> str:
    """README.md in Markdown; `task` is the name of the task file, "" if there is none."""
    recipe, vocabulary = run.recipe, run.vocabulary
    count = run.cost(name)["parameters"]
    lines = [
        "---",
        "library_name: transformers",
        "pipeline_tag: text-generation",
        "tags: [wherefrom, character-level]",
        "---",
        "",
        f"# {recipe.name}, seed {recipe.seed}: {name}",
        "",
        f"A language model of {count:,} parameters and {len(vocabulary)} characters, trained by "
        f"Wherefrom {versions().get('wherefrom', '')} with the recipe `{recipe.name}` "
        f"({recipe.summary}). Its class in transformers is `{architecture}`.",
        "",
        "## What it knows",
        "",
        *_knows(run, asked),
        "",
        "## How sure it is",
        "",
        *_sure(run, name, asked),
        "",
        "## What it must not be used for",
        "",
        _LIMITS,
        "## Use",
        "",
        *_use(task),
    ]
    return "\n".join(lines) + "\n"


def _knows(run: Run, asked: Score | None) -> Iterator[str]:
    if asked:
        yield (
            f"Asked as `example.py` asks, it answers {asked.details['correct']} of {asked.n} "
            f"held-out questions right ({_share(asked.as_json())}), character by character."
        )
        yield ""
    yield "The run's own results. Its primary model may be asked in several wordings at once, and"
    yield "may decline to answer; this folder does neither."
    yield ""
    yield "| | | 95 % interval | |"
    yield "| --- | --- | --- | --- |"
    for section in results_table(run.results).sections:
        for cells in section.rows:
            yield f"| {' | '.join(cell.strip() for cell in cells)} |"


def _sure(run: Run, name: str, asked: Score | None) -> Iterator[str]:
    audit = read_findings(run) if asked and name == run.recipe.primary else None
    if audit is None or not audit["confidence"]:
        yield "Not measured: there is no audit of this model. Do not take its probabilities for"
        yield "confidence."
        return
    errors = (audit["confidence"][key]["error"]["value"] for key in ("raw", "calibrated"))
    raw, calibrated = errors
    yield f"- Its own probabilities are off by {raw:.1%} on average (expected calibration error,"
    yield f"  held-out questions); the run's calibration brings that to {calibrated:.1%}."
    in_use = audit["abstention"]["in_use"] if audit["abstention"] else None
    if in_use and in_use["precision"]:
        yield "- With the run's threshold it answers some held-out questions only"
        yield f"  ({_share(in_use['answered_share'])}), most of them right"
        yield f"  ({_share(in_use['precision'])})."
    for tier, found in (audit["decoys"] or {}).items():
        yield f"- The run declines to answer about made-up names of the kind {tier}"
        yield f"  ({_share(found['refused'])}); this folder answers about all of them."


def _share(result: Mapping[str, Any]) -> str:
    """A share with its interval, as the results have them."""
    low, high = result["interval"]
    return f"{measured(result)[1]:.1%}, 95 % interval {100 * low:.1f} to {100 * high:.1f}"


def _use(task: str) -> Iterator[str]:
    yield "`python example.py` asks it. It needs torch and transformers 5.3 or newer, and no code"
    yield "of ours. The search needs `length_penalty=0.0`, as generation_config.json has it."
    if task:
        yield ""
        yield "In lm-evaluation-harness, offline, with our exact match:"
        yield ""
        yield "    lm_eval --model hf --model_args pretrained=FOLDER --include_path FOLDER \\"
        yield f"        --tasks {task} --batch_size 16"
