"""How the homework's lists of words write the words that they do not have.

The list that comes with the Penn Treebank text has UUUNKKK for unknown words and DG for a digit;
`wherefrom data fetch` writes its own list in the same form.
"""

from collections.abc import Sequence

from wherefrom.core.words import WordForms, WordVocabulary

HOMEWORK = WordForms(unknown="UUUNKKK", digit="DG")


def reopen_vocabulary(words: Sequence[str]) -> WordVocabulary:
    """The vocabulary of a run from the list of words that its folder keeps.

    The list does not say what its unknown word is. One that has the homework's is in the
    homework's form; any other, such as that of a generated text, has no unknown word.
    """
    return WordVocabulary(tuple(words), forms=HOMEWORK if HOMEWORK.unknown in words else None)
