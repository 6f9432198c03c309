"""A user's files, and what a text says of whom: tables, names, sentences, passages, statements."""
