"""The generated text against the chain it was drawn from."""

from wherefrom.data.tiny_text import TinyTextConfig, load, sentences

SMALL = TinyTextConfig(sentences=300, words=12, classes=3, held_out=0.2)


def test_sentences_do_not_depend_on_how_many_are_made():
    fewer = TinyTextConfig(sentences=50, words=12, classes=3)
    assert load(SMALL, 0).documents[:50] == load(fewer, 0).documents
    assert load(SMALL, 1).documents[:50] != load(fewer, 0).documents, "they depend on the seed"


def test_all_words_differ():
    many = TinyTextConfig(sentences=4000, words=1000)
    text = " ".join(d.text for d in load(many, 0).documents).split()
    numbers = [w for s in sentences(many, 0) for w in s]
    spelt = dict(zip(numbers, text, strict=True))
    assert len(set(spelt.values())) == len(spelt) > 900
