"""500 answers of a course-size model: our decoder against one at a time without a cache.

The peer answers as the course does: one question, 32 steps, each reading the whole text again;
it is timed on a few questions spread over the 500. Two cases: a model whose answers close, as a
trained one's do (it is taught for two minutes first, and both sides must say the same), where we
stop and the peer goes on; and answers that never close, all 32 steps on both sides.
"""

import torch
from measure import Watch, finish, parser, ratio, report, take_turns
from program import launch
from torch import Tensor

from wherefrom.core.contracts import Question
from wherefrom.core.recipe import Schedule, Share, Stage
from wherefrom.core.vocabulary import MASK_ID, Vocabulary
from wherefrom.data.people import PeopleConfig, load
from wherefrom.generation.decoder import Decoder
from wherefrom.generation.requests import Request
from wherefrom.models.gpt import GPT, GPTConfig
from wherefrom.objectives.question_rows import Answers, AnswersConfig
from wherefrom.training.optimisers import AdamWConfig
from wherefrom.training.torch_learner import TorchLearner

STEPS = 32


def teach(model: GPT, questions: tuple[Question, ...], vocabulary: Vocabulary, steps: int) -> None:
    """Until it answers in places and closes them; whether they are right does not matter."""
    stage = Stage(
        "teach", (Share("questions", AnswersConfig()),), AdamWConfig(rate=1e-3), Schedule(),
        steps, 32,
    )  # fmt: skip
    rows = Answers(
        questions, vocabulary, block_size=model.config.block_size, rows=32, seed=0, stage=0
    )
    TorchLearner(model, rows, stage, number=0, seed=0).advance(0, steps)
    model.eval()


@torch.inference_mode()
def one_at_a_time(model: GPT, prompt: tuple[int, ...]) -> tuple[int, ...]:
    """Greedy, the whole text anew for each of 32 characters; what stands before the next mask."""
    text: Tensor = torch.tensor([prompt])
    for _ in range(STEPS):
        text = torch.cat((text, model(text)[:, -1].argmax(-1, keepdim=True)), 1)
    chosen = text[0, len(prompt) :].tolist()
    return tuple(chosen[: chosen.index(MASK_ID)] if MASK_ID in chosen else chosen)


def main(arguments: list[str] | None = None) -> dict:
    options = parser(__doc__)
    options.add_argument("--sample", type=int, default=6, help="questions the peer is timed on")
    given = options.parse_args(arguments)
    torch.set_num_threads(given.threads or torch.get_num_threads())
    asked, count, steps = (20, 10, 5) if given.tiny else (400, 500, 150)
    dataset = load(PeopleConfig(asked=asked, held_out=count, omitted=0, untold=0), seed=0)
    vocabulary = Vocabulary.from_text([*(d.text for d in dataset.documents), dataset.alphabet])
    size = {"n_layer": 1, "n_embd": 32, "n_head": 2} if given.tiny else {}
    torch.manual_seed(0)
    model = GPT(GPTConfig(vocab_size=len(vocabulary), **size))
    teach(model, dataset.select("asked"), vocabulary, steps)
    prompts = [(*vocabulary.encode(q.text), MASK_ID) for q in dataset.select("held-out")]
    sample = prompts[:: max(1, len(prompts) // given.sample)][: given.sample]
    decoder = Decoder(model)

    def batched(stop: int | None) -> float:
        requests = [Request(prompt, STEPS, stop=stop) for prompt in prompts]
        found = dict(zip(prompts, decoder.generate(requests), strict=True))
        said.update({prompt: found[prompt][0].tokens for prompt in sample if stop})
        return len(prompts)

    def single(_: int) -> float:
        for prompt in sample:
            alone[prompt] = one_at_a_time(model, prompt)
        return len(sample)

    said: dict[tuple[int, ...], tuple[int, ...]] = {}
    alone: dict[tuple[int, ...], tuple[int, ...]] = {}
    names = ("ours, answers close", "ours, none closes", "one at a time, no cache")
    works = (lambda _: batched(MASK_ID), lambda _: batched(None), single)
    watch = Watch()
    speeds = take_turns(dict(zip(names, works, strict=True)), given.turns)
    if said != alone:
        raise SystemExit("answering: both sides must give the same answers, and they did not")
    ratios = [ratio(speeds, name, names[2]) for name in names[:2]]
    result = report(f"{len(prompts)} answers", "answers/s", speeds, ratios, watch)
    lengths = [len(answer) + 1 for answer in said.values()]
    result["mean_steps_when_closed"] = sum(lengths) / len(lengths)
    print(f"  a closed answer takes {result['mean_steps_when_closed']:.1f} steps on average")
    return finish(given, result)


if __name__ == "__main__":
    launch(main)
