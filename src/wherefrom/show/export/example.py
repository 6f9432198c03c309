"""Ask the model in this folder: python example.py "QUESTION" ...

A model without questions goes on from a text instead. Needs torch and transformers 5.3 or newer.
`load_questions` and `score` are what the task file in this folder gives lm-evaluation-harness.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def ask(questions: Sequence[str], folder: Path = HERE) -> list[str]:
    """The model's answers, found by the search that generation_config.json describes."""
    from transformers import AutoModelForCausalLM, AutoTokenizer  # pyright: ignore

    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    model: Any = AutoModelForCausalLM.from_pretrained(folder)
    return generate(model, tokenizer, questions)


def generate(model: Any, tokenizer: Any, questions: Sequence[str]) -> list[str]:
    """The same with a model and a tokenizer that are loaded."""
    refuse_foreign(tokenizer, questions)
    # The mark that closes an answer opens it, too: question, mark, answer, mark.
    prompts = [question + (tokenizer.eos_token or "") for question in questions]
    batch = tokenizer(prompts, return_tensors="pt", padding=len(prompts) > 1)
    read = batch["input_ids"].shape[1]
    room = model.config.max_position_embeddings + 1 - read  # the last character is not read
    found = model.generate(
        **batch, max_new_tokens=min(model.generation_config.max_new_tokens, room)
    )
    return tokenizer.batch_decode(found[:, read:], skip_special_tokens=True)


def refuse_foreign(tokenizer: Any, questions: Sequence[str]) -> None:
    """Name a character that the model has never seen, which the tokenizer would only refuse."""
    known = tokenizer.get_vocab()
    for question in questions:
        foreign = [c for c in dict.fromkeys(question) if c not in known]
        if foreign:
            names = ", ".join(f"{c!r} (U+{ord(c):04X})" for c in foreign)
            raise ValueError(f"{question!r}: the model has never seen {names}")


def load_questions(**_: Any) -> dict[str, Any]:
    """The held-out questions with their accepted answers, for lm-evaluation-harness."""
    from datasets import Dataset  # pyright: ignore

    return {"test": Dataset.from_list(read_questions())}


def score(row: dict[str, Any], found: Sequence[str]) -> dict[str, float]:
    """Right is an accepted answer, character by character."""
    return {"exact_match": float(found[0] in row["answers"])}


def read_questions() -> list[dict[str, Any]]:
    path = HERE / "questions.jsonl"
    text = path.read_text("utf-8") if path.exists() else ""
    return [json.loads(line) for line in text.splitlines()]


def main() -> None:
    questions = sys.argv[1:] or [row["question"] for row in read_questions()[:3]] or ["The "]
    try:
        answers = ask(questions)
    except ValueError as error:
        sys.exit(f"example.py: {error}")
    for question, answer in zip(questions, answers, strict=True):
        print(f"{question} {answer}")


if __name__ == "__main__":
    main()
