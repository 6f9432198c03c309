"""Text of the Penn Treebank's form for word models: `word<TAB>TAG` a line.

A blank line or one that begins with -DOCSTART- ends a sentence. The vocabulary is the first words
of a list, most frequent first; every other word takes its canonical form or becomes unknown.
Without files the text is a generated one, which says nothing about English.
"""

from collections import Counter
from pathlib import Path

from wherefrom.core.bounds import check_whole
from wherefrom.core.config import TaggedConfig
from wherefrom.core.contracts import Dataset, Document
from wherefrom.core.errors import BadData, MissingInput
from wherefrom.core.words import BEGIN, END, WordText, WordVocabulary
from wherefrom.data import tiny_text
from wherefrom.data.embeddings import fetched_vectors, load_vectors
from wherefrom.data.word_forms import HOMEWORK
from wherefrom.reading.table_files import read_lines, refuse_rows

# Where a folder has them; a file that lies in the folder itself is found too.
FILES = {
    "train": "language/wsj_public_train.tsv",
    "dev": "language/ptb-dev.txt",
    "vocabulary": "language/vocab.ptb.txt",
    "embeddings": "embeddings/glove.6B.50d.subset.npy",
}
OWN_VECTORS = "vocab.embeddings.glove.txt"  # the homework's own, which has marks and numbers too
FETCHED = {  # and as 'wherefrom data fetch' makes them
    "train": "language/train.tsv",
    "dev": "language/dev.tsv",
    "vocabulary": "language/vocabulary.txt",
}
GENERATED = tiny_text.TinyTextConfig()
KNOWN = 50  # of the generated text's words; the rarer ones are unknown, as rare ones of English are
MOST_WORDS = 2**24
TELLING = 3  # shorter sentences, such as a lone quotation mark, are in any two texts
_NEW_DOCUMENT = "-DOCSTART-"
_NEEDED = {
    BEGIN: "it stands before every sentence",
    END: "it stands after every sentence",
    HOMEWORK.unknown: "it stands for every word that the list has not",
}


class TreebankConfig(TaggedConfig, frozen=True, tag="treebank"):
    """A folder with all files, or files one by one, which go before the folder's."""

    folder: str = ""
    train: str = ""
    dev: str = ""
    vocabulary: str = ""
    embeddings: str = ""  # NAME.npy with its words in NAME.words.txt, or a text file as GloVe's
    words: int = 2000  # of the vocabulary, from its top

    def __post_init__(self) -> None:
        check_whole(self, "words", 4, MOST_WORDS)

    @property
    def generated(self) -> bool:
        return not any((self.folder, *(getattr(self, part) for part in FILES)))


def load(config: TreebankConfig, seed: int) -> Dataset:
    """The training sentences, then those of dev, which are held out.

    Sentences of the training text that dev has too are left out of training.
    """
    if config.generated:
        return _generate(seed)
    words = read_vocabulary(find(config, "vocabulary"), config.words)
    vectors = load_vectors(find(config, "embeddings"), words)
    train = [s for s in read_sentences(find(config, "train")) if s]
    dev = read_sentences(find(config, "dev"))
    seen = {s for s in dev if len(s) >= TELLING}
    kept = [s for s in train if s not in seen]
    if not kept:
        raise BadData(
            f"{find(config, 'train')}: expected sentences that dev has not, found none; "
            "name another file"
        )
    known = frozenset(words) - {BEGIN, END}
    texts = [" ".join(HOMEWORK.canonical(word, known) for word in s) for s in (*kept, *dev)]
    return WordText(
        tuple(map(Document, texts)),
        held_out=len(dev),
        vocabulary=WordVocabulary(words, vectors.array, HOMEWORK),
        original=tuple(dev),
        details={
            "training_sentences": len(kept),
            "dropped_sentences": len(train) - len(kept),
            "dropped_different": len(seen & set(train)),
            "made_up_vectors": len(vectors.made_up),
        },
    )


def _generate(seed: int) -> WordText:
    """The generated text with the words that its training sentences have most often."""
    made = tiny_text.load(GENERATED, seed)
    sentences = [document.text.split() for document in made.documents]
    counts = Counter(w for d in made.training_documents for w in d.text.split())
    known = sorted(counts, key=lambda word: (-counts[word], word))[:KNOWN]
    texts = [" ".join(HOMEWORK.canonical(word, known) for word in s) for s in sentences]
    vocabulary = WordVocabulary((BEGIN, END, HOMEWORK.unknown, *known), forms=HOMEWORK)
    return WordText(
        tuple(map(Document, texts)),
        held_out=made.held_out,
        vocabulary=vocabulary,
        original=tuple(tuple(d.text.split()) for d in made.held_out_documents),
    )


def survey(config: TreebankConfig) -> list[str]:
    """Which text this is; the counts come with the results."""
    if config.generated:
        return [
            f"text: a generated one of {GENERATED.sentences:,} sentences, since no files were "
            "named; --data FOLDER names them (language/, embeddings/)"
        ]
    return [f"{part}: {find(config, part)}" for part in FILES]


def find(config: TreebankConfig, part: str) -> Path:
    """The file of a part: the one that was named, or the folder's."""
    if named := getattr(config, part):
        return Path(named)
    if not config.folder:
        raise MissingInput(
            f"Missing --data FOLDER, a folder with the files, or --set data.{part}=FILE"
        )
    folder, usual = Path(config.folder), Path(FILES[part])
    places = [folder / usual, folder / usual.name]
    if part in FETCHED:
        places.append(folder / FETCHED[part])
    else:
        own = [folder / place / OWN_VECTORS for place in ("", "lm", "embeddings")]
        fetched = fetched_vectors()
        places = [*own, *places, *([fetched] if fetched else [])]
    present = [place for place in places if place.is_file()]
    if not present:
        fetch = "; 'wherefrom data fetch glove' gets word vectors" if part == "embeddings" else ""
        raise MissingInput(
            f"{folder}: expected {usual} in it, found none; name another folder with --data, or "
            f"the file with --set data.{part}=FILE{fetch}"
        )
    return present[0]


def read_sentences(path: Path) -> list[tuple[str, ...]]:
    """The words of every sentence, as they stand there.

    As in the homework, the end of the file ends a sentence, even one of no words after a blank
    last line; its one bigram is among the 122,439 of the homework's dev text.
    """
    sentences: list[tuple[str, ...]] = []
    current: list[str] = []
    bad: list[tuple[int, str]] = []
    for number, line in enumerate(read_lines(path, gaps=True), 1):
        if not line.strip() or line.startswith(_NEW_DOCUMENT):
            if current:
                sentences.append(tuple(current))
            current = []
            continue
        cells = line.split("\t")
        if len(cells) != 2:
            bad.append((number, f"{len(cells)} column{'s' if len(cells) > 1 else ''}"))
        elif not cells[0].strip():
            bad.append((number, "no word"))
        current.append(cells[0].strip())
    refuse_rows(path, bad, "'word<TAB>TAG'", "put one tab between a word and its tag")
    if not sentences and not current:
        raise BadData(f"{path}: expected sentences, found no words; name another file")
    return [*sentences, tuple(current)]


def read_vocabulary(path: Path, count: int) -> tuple[str, ...]:
    """The first `count` words of a list: the first column, whatever stands in the others."""
    lines = read_lines(path)
    words = tuple(line.split()[0] for line in lines[:count])
    if len(words) < count:
        raise BadData(
            f"{path}: expected at least {count} words, found {len(words)}; lower data.words"
        )
    for needed, why in _NEEDED.items():
        if needed not in words:
            raise BadData(
                f"{path}: expected {needed} among the first {count} words, found none; add it, "
                f"{why}"
            )
    twice = sorted({w for w in words if words.count(w) > 1}) if len(set(words)) < count else []
    if twice:
        raise BadData(f"{path}: expected every word once, found {twice[0]!r} twice; remove one")
    return words
