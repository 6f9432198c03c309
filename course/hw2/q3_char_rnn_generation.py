"""The homework's character model under its own names: trains, samples, measures passages.

    python q3_char_rnn_generation.py --data FOLDER [--steps 2000] [--out FOLDER] [--seed 0]
    python q3_char_rnn_generation.py --data FOLDER --own       # by `train` and `OurModel.forward`
    python q3_char_rnn_generation.py --data FOLDER --text PASSAGE.txt ...

FOLDER has language/shakespeare.txt, or is the text file itself; without it the text is generated.
Every character that is written or scored goes through `OurModel.forward`. The training loop is the
library's unless `--own` is given, and much faster.
"""

import argparse
import random
import string
import sys
from dataclasses import replace
from pathlib import Path

import torch
from torch import nn

from wherefrom.core.characters import PRINTABLE, fold
from wherefrom.core.errors import BadData, WherefromError
from wherefrom.core.files import read_text
from wherefrom.data.characters import CharactersConfig, load, survey

### SOLUTION_ONLY ###
from wherefrom.evaluation.text.readings import CharacterReader
from wherefrom.experiments.execute import execute
from wherefrom.generation.texts import TextScorer, go_on
from wherefrom.models.gru import States
from wherefrom.recipes.shakespeare import gru
from wherefrom.runs.run import open_run
from wherefrom.show.terminal.progress import watch

### END_SOLUTION_ONLY ###

all_characters = string.printable
n_characters = len(all_characters)
chunk_len, hidden_size, num_layers = 400, 100, 1
n_epochs, print_every, plot_every = 2000, 100, 10
lr = 0.005


class OurModel(nn.Module):
    """An embedding, a GRU and an output layer; `forward` reads one character."""

    def __init__(self, input_size, hidden_size, output_size, num_layers=1) -> None:
        super().__init__()
        self.input_size, self.hidden_size = input_size, hidden_size
        self.output_size, self.num_layers = output_size, num_layers
        self.embedding = nn.Embedding(input_size, hidden_size)
        self.gru = nn.GRU(hidden_size, hidden_size, num_layers)
        self.output_layer = nn.Linear(hidden_size, output_size)

    def forward(self, input_, hidden):
        """Logits of the next character (1, output_size), and the next hidden state.

        input_: the number of one character; hidden: (num_layers, 1, hidden_size).
        """
        ### START_CODE_HERE ###
        embedded = self.embedding(input_).reshape(1, 1, -1)
        found, hidden = self.gru(embedded, hidden)
        return self.output_layer(found[0]), hidden
        ### END_CODE_HERE ###

    def init_hidden(self):
        return torch.zeros(self.num_layers, 1, self.hidden_size)


def chars_to_tensor(text):
    """The numbers of the characters."""
    return torch.tensor([all_characters.index(c) for c in text])


def random_chunk(text, length=chunk_len):
    """So many characters from anywhere in the text, and the one after them."""
    start = random.randrange(len(text) - length)
    return text[start : start + length + 1]


def random_training_set(text, length=chunk_len):
    """A chunk without its last character, and without its first: what is read, what is next."""
    chunk = random_chunk(text, length)
    return chars_to_tensor(chunk[:-1]), chars_to_tensor(chunk[1:])


def train(model, optimizer, inp, target) -> float:
    """One update on one chunk; the loss per character."""
    hidden, loss = model.init_hidden(), torch.zeros(())
    model.zero_grad()
    for character, following in zip(inp, target, strict=True):
        output, hidden = model(character, hidden)
        loss = loss + nn.functional.cross_entropy(output, following.reshape(1))
    loss.backward()
    optimizer.step()
    return loss.item() / len(inp)


def evaluate(model, prime_str="Wh", predict_len=200, temperature=0.8, seed=0) -> str:
    """The prime string, and so many characters that the model goes on with."""
    ### START_CODE_HERE ###
    known = PRINTABLE.encode(prime_str)
    found = go_on(_Reading(model), known, predict_len, temperature=temperature, seed=seed)
    return prime_str + PRINTABLE.decode(list(found))
    ### END_CODE_HERE ###


def perplexity(model, path) -> float:
    """The perplexity of a text file per character, as the model is: at temperature 1."""
    text = fold(read_text(path)).text
    if len(text) < 2:
        raise BadData(f"{path}: expected at least 2 characters, found {len(text)}; name another")
    ### START_CODE_HERE ###
    nats = CharacterReader(TextScorer(_Reading(model), PRINTABLE)).read(text).nats
    return float(torch.tensor(nats).mean().exp())
    ### END_CODE_HERE ###


### SOLUTION_ONLY ###
class _Reading(nn.Module):
    """`OurModel` as the library's decoder and scorer ask for it: rows of characters to logits."""

    cacheable = True
    max_input = 2**30

    def __init__(self, model: OurModel) -> None:
        super().__init__()
        self.model = model

    def new_cache(self, rows: int, positions: int) -> States:
        like = next(self.model.parameters()).detach()
        sizes = (self.model.num_layers, rows, positions, self.model.hidden_size)
        return States.empty(*sizes, like)

    def forward(self, tokens_RT, cache=None):
        rows = len(tokens_RT)
        states = self.new_cache(rows, 1).before() if cache is None else cache.before()
        read = [self._read_row(tokens_RT[r], states[:, r : r + 1]) for r in range(rows)]
        if cache is not None:
            cache.hold(torch.stack([held for _, held in read], 1))
        return torch.stack([logits for logits, _ in read])

    def _read_row(self, tokens_T, hidden):
        """Logits (T, V) and the states after every character (L, T, H)."""
        logits, held = [], []
        for token in tokens_T:
            output, hidden = self.model(token, hidden.contiguous())
            logits.append(output.reshape(-1))
            held.append(hidden[:, 0])
        return torch.stack(logits), torch.stack(held, 1)


def from_library(network) -> OurModel:
    """The homework's model with the weights of the library's GRU."""
    sizes = network.config.vocab_size, network.config.n_hidden
    model = OurModel(*sizes, sizes[0], len(network.layers))
    model.embedding.load_state_dict(network.embedding.state_dict())
    model.output_layer.load_state_dict(network.head.state_dict())
    for number, layer in enumerate(network.layers):
        for name, value in layer.named_parameters():
            getattr(model.gru, name.replace("_l0", f"_l{number}")).data.copy_(value.data)
    return model.eval()


def train_library(folder: str, steps: int, out: Path, seed: int) -> OurModel:
    """The recipe `shakespeare-gru` with the homework's own training alone, run into `out`."""
    recipe = gru()
    recipe = replace(
        recipe,
        data=CharactersConfig(folder=folder),
        stages=(replace(recipe.stage("homework"), steps=steps),),
        models=recipe.models[:1],
        primary="homework",
        tasks=tuple(replace(task, predictors=("homework",)) for task in recipe.tasks),
        seed=seed,
    )
    with watch(["homework"], "") as observer:
        outcome = execute(recipe, out / "run", [observer])
    score = outcome.results["homework"]
    print(f"held-out: {score['nats_per_target']:.3f} nats a character")
    print(f"the loss curve and a sample are in {out / 'run'}")
    return from_library(open_run(out / "run").model("homework"))


### END_SOLUTION_ONLY ###
def train_own(folder: str, steps: int, out: Path, seed: int) -> OurModel:
    """Update after update by `train`, as the homework does; the parameters go into `out`."""
    random.seed(seed)
    torch.manual_seed(seed)
    text = load(CharactersConfig(folder=folder), seed).training_documents[0].text
    model = OurModel(n_characters, hidden_size, n_characters, num_layers)
    optimizer, losses = torch.optim.Adam(model.parameters(), lr=lr), []
    for epoch in range(1, steps + 1):
        losses.append(train(model, optimizer, *random_training_set(text)))
        if epoch % print_every == 0 or epoch == steps:
            recent = losses[-plot_every:]
            print(f"update {epoch} of {steps}: loss {sum(recent) / len(recent):.4f}")
    torch.save(model.state_dict(), out / "char_rnn.params")
    return model


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", default="", metavar="FOLDER")
    parser.add_argument("--steps", type=int, default=n_epochs, metavar="N")
    parser.add_argument("--out", type=Path, default=Path("char_rnn"), metavar="FOLDER")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument("--own", action="store_true", help="train by `train` in this file")
    parser.add_argument("--text", type=Path, nargs="*", default=[], help="passages to measure")
    given = parser.parse_args(arguments)
    trained = train_own
    ### SOLUTION_ONLY ###
    if not given.own:
        trained = train_library
    ### END_SOLUTION_ONLY ###
    try:
        folder = str(Path(given.data).resolve()) if given.data else ""
        print("\n".join(survey(CharactersConfig(folder=folder))))
        given.out.mkdir(parents=True, exist_ok=True)
        model = trained(folder, given.steps, given.out, given.seed)
        print(evaluate(model, seed=given.seed))
        for path in given.text:
            print(f"{path.name}: perplexity {perplexity(model, path):.2f} per character")
    except WherefromError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    except NotImplementedError:
        said = "a function of this file is not written yet; 'python grader.py' says which"
        print(f"error: {said}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
