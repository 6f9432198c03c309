"""The assignment's two data sets.

`python dataset.py namedata` and `python dataset.py charcorruption` print examples of each;
`--data FOLDER` says where the data is, if not in data/.
"""

import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.utils.data import Dataset

from wherefrom.core.contracts import Document, Question
from wherefrom.core.errors import BadData, UsageError
from wherefrom.core.files import read_text
from wherefrom.core.vocabulary import MASK, PAD, Vocabulary
from wherefrom.course.classroom.spoken_errors import run_program
from wherefrom.objectives.question_rows import Answers

if TYPE_CHECKING or __package__:
    from .utils import current_year
else:  # run as a program
    from utils import current_year


class NameDataset(Dataset):
    """Questions and places: (x, y) of `block_size - 1` characters each.

    x is "question MASK place MASK" and pads. y is x one character on, but with pads for the
    question's own characters, so that the loss falls on the place alone:

        x: Where was Khatchig Mouradian born?⁇Lebanon⁇□□□□...
        y: □□□□□□□□□□□□□□□□□□□□□□□□□□□□□□□□□⁇Lebanon⁇□□□□□...

    As in the course, names lose every letter that ASCII does not have.
    """

    def __init__(self, data: Any, pretraining_dataset: Any) -> None:
        if not isinstance(data, str):  # some years have the two the other way round
            data, pretraining_dataset = pretraining_dataset, data
        self.MASK_CHAR, self.PAD_CHAR = MASK, PAD
        self.itos, self.stoi = pretraining_dataset.itos, pretraining_dataset.stoi
        self.vocabulary = Vocabulary(tuple(self.itos[i] for i in range(len(self.itos))))
        self.vocab_size, self.block_size = len(self.stoi), pretraining_dataset.block_size
        data = data.encode("ascii", errors="ignore").decode("ascii")
        self.data = [line.removesuffix("\r") for line in data.removesuffix("\n").split("\n")]
        for number, line in enumerate(self.data, 1):
            if line.count("\t") != 1:
                raise BadData(
                    f"line {number}: expected 'question<TAB>answer', found "
                    f"{line.count(chr(9)) + 1} columns; put one tab between question and answer"
                )

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, idx: int) -> tuple[Tensor, Tensor]:
        question, place = self.data[idx].split("\t")
        s = f"{question}{MASK}{place}{MASK}".ljust(self.block_size, PAD)
        x, y = s[:-1], PAD * (len(question) - 1) + s[len(question) :]
        encode = self.vocabulary.encode
        return torch.tensor(encode(x)), torch.tensor(encode(y))

    def objective(self, **place: Any) -> Answers:
        """What the training loop reads: the same rows, a batch at a time."""
        pairs = [line.split("\t") for line in self.data]
        asked = [Question(text, "", "birthplace", answer, "asked") for text, answer in pairs]
        return Answers(asked, self.vocabulary, block_size=self.block_size, order="file", **place)


class CharCorruptionDataset(Dataset):
    """Span corruption: a line of text without a stretch of it, then that stretch.

    [part e]. The item of a document is made like this, anew each time it is asked for:

    1. Cut the document to a random length: from 4 to `self.longest` characters, which is the
       year's share of the block, each of them equally likely. What is shorter stays whole.
    2. Choose a stretch of it, of random length, a quarter of the cut text on average, at a
       random place: the text is now [prefix] [stretch] [suffix].
    3. Lay it out as  prefix MASK suffix MASK stretch  with another MASK behind it, if the year's
       hand-out has one (`self.third_mask`), and with pads up to `self.laid_out` characters.
    4. x is all of that but its last character, y all but its first: long tensors.

    stoi gives a character's number; pad is 0, mask is 1, the text's own follow in order.
    """

    def __init__(self, data: str, block_size: int) -> None:
        year = current_year()
        self.vocabulary = Vocabulary.from_text([data])
        self.MASK_CHAR, self.PAD_CHAR = MASK, PAD
        self.itos = dict(enumerate(self.vocabulary.characters))
        self.stoi = {c: i for i, c in self.itos.items()}
        self.vocab_size, self.block_size = len(self.stoi), block_size
        self.third_mask, self.share = year.third_mask, year.longest
        self.laid_out, self.longest = year.laid_out(block_size), year.longest_text(block_size)
        self.data = data.split("\n")
        print(f"data has {len(data)} characters, {self.vocab_size} unique.")

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, idx: int) -> tuple[Tensor, Tensor]:
        ### [part e]
        ### START_CODE_HERE ###
        document = self.data[idx]
        text = document[: random.randint(min(4, self.longest), self.longest)]
        size = random.randint(1, max(1, len(text) // 2 - 1)) if text else 0
        start = random.randint(0, len(text) - size)
        prefix, stretch, suffix = text[:start], text[start : start + size], text[start + size :]
        s = prefix + self.MASK_CHAR + suffix + self.MASK_CHAR + stretch
        if self.third_mask:
            s = s + self.MASK_CHAR
        s = s + self.PAD_CHAR * (self.laid_out - len(s))
        numbers = torch.tensor([self.stoi[c] for c in s], dtype=torch.long)
        return numbers[:-1], numbers[1:]
        ### END_CODE_HERE ###

    ### SOLUTION_ONLY ###
    @property
    def items(self) -> int:
        """Documents that `objective` has: an empty line, as the last may be, tells nothing."""
        return sum(map(bool, self.data))

    def objective(self, *, device: Any, **place: Any) -> Any:
        """What the training loop reads: rows of the same kind, made a batch at a time.

        A data set without this, as a student's is, is read item by item.
        """
        # Here, because a submission that is graded may not import the library's solution.
        from wherefrom.objectives.corpus import index_corpus
        from wherefrom.objectives.span_corruption import Documents, SpanCorruptionConfig

        documents = [Document(line) for line in self.data if line]
        corpus = index_corpus(documents, self.vocabulary, device)
        config = SpanCorruptionConfig(longest=self.share, third_mask=self.third_mask)
        sizes = {"block_size": self.block_size, "max_input": self.laid_out - 1}
        return Documents(config, corpus, order="file", **sizes, **place)

    ### END_SOLUTION_ONLY ###


def show(kind: str | None, data: str) -> None:
    """Print four examples of the data set that is named."""
    from places import find_data

    if kind not in ("namedata", "charcorruption"):
        raise UsageError(f"dataset.py: expected namedata or charcorruption after it, found {kind}")
    dataset: Any = CharCorruptionDataset(read_text(find_data("wiki.txt", data)), 128)
    if kind == "namedata":
        dataset = NameDataset(read_text(find_data("birth_places_train.tsv", data)), dataset)
    for i in range(min(4, len(dataset))):
        for name, numbers in zip("xy", dataset[i], strict=True):
            print(f"{name}:", "".join(dataset.itos[int(c)] for c in numbers))


def main(arguments: Sequence[str] | None = None) -> int:
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    return run_program(__doc__ or "", show, arguments, kind=None, data="")


if __name__ == "__main__":
    sys.exit(main())
