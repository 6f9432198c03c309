"""The homework's character model under its own names: trains, samples, measures passages.

    python q3_char_rnn_generation.py --data FOLDER [--steps 2000] [--out FOLDER] [--seed 0]
    python q3_char_rnn_generation.py --data FOLDER --text PASSAGE.txt ...

FOLDER has language/shakespeare.txt, or is the text file itself; without it the text is generated.
Every character goes through `OurModel.forward`, one after the other; `wherefrom run
shakespeare-gru` trains the same network, and much faster.
"""

import random
import string
import sys
from pathlib import Path

import torch
from torch import nn

from wherefrom.core.characters import fold
from wherefrom.core.errors import BadData
from wherefrom.core.files import read_text
from wherefrom.course.classroom.spoken_errors import run_program
from wherefrom.data.character_text import CharactersConfig, load, survey

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


def random_training_set(text, length=chunk_len):
    """A chunk from anywhere in the text: its characters, and those that follow them."""
    start = random.randrange(len(text) - length)
    chunk = chars_to_tensor(text[start : start + length + 1])
    return chunk[:-1], chunk[1:]


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


@torch.no_grad()
def read(model, text, hidden):
    """Logits after every character of a text, and the hidden state after the last."""
    outputs = []
    for character in chars_to_tensor(text):
        output, hidden = model(character, hidden)
        outputs.append(output.reshape(-1))
    return torch.stack(outputs), hidden


def evaluate(model, prime_str="Wh", predict_len=200, temperature=0.8, seed=0) -> str:
    """The prime string, and so many characters that the model goes on with."""
    ### START_CODE_HERE ###
    random = torch.Generator().manual_seed(seed)
    text = prime_str
    output, hidden = read(model, prime_str, model.init_hidden())
    for _ in range(predict_len):
        shares = (output[-1] / temperature).softmax(-1)
        text += all_characters[int(torch.multinomial(shares, 1, generator=random))]
        output, hidden = read(model, text[-1], hidden)
    return text
    ### END_CODE_HERE ###


def perplexity(model, path) -> float:
    """The perplexity of a text file per character, as the model is: at temperature 1."""
    text = fold(read_text(path)).text
    if len(text) < 2:
        raise BadData(f"{path}: expected at least 2 characters, found {len(text)}; name another")
    ### START_CODE_HERE ###
    whole = f"\n{text}"  # every text begins after the end of a line
    output, _ = read(model, whole[:-1], model.init_hidden())
    return float(nn.functional.cross_entropy(output, chars_to_tensor(whole[1:])).exp())
    ### END_CODE_HERE ###


def train_all(data: str, steps: int, out: Path, seed: int, text: list[str]) -> None:
    """Update after update by `train`, as the homework does; the parameters go into `out`."""
    config = CharactersConfig(folder=str(Path(data).resolve()) if data else "")
    print("\n".join(survey(config)))
    random.seed(seed)
    torch.manual_seed(seed)
    corpus = load(config, seed).training_documents[0].text
    model = OurModel(n_characters, hidden_size, n_characters, num_layers)
    optimizer, losses = torch.optim.Adam(model.parameters(), lr=lr), []
    for epoch in range(1, steps + 1):
        losses.append(train(model, optimizer, *random_training_set(corpus)))
        if epoch % print_every == 0 or epoch == steps:
            recent = losses[-plot_every:]
            print(f"update {epoch} of {steps}: loss {sum(recent) / len(recent):.4f}")
    out.mkdir(parents=True, exist_ok=True)
    torch.save(model.state_dict(), out / "char_rnn.params")
    print(evaluate(model, seed=seed))
    for path in text:
        print(f"{path}: perplexity {perplexity(model, Path(path)):.2f} per character")


def main(arguments: list[str] | None = None) -> int:
    options = {"data": "", "steps": n_epochs, "out": Path("char_rnn"), "seed": 0, "text": []}
    return run_program(__doc__ or "", train_all, arguments, **options)


if __name__ == "__main__":
    sys.exit(main())
