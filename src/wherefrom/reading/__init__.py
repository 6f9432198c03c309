"""The reader: a user's files, what a text says of whom, and what it says about an answer."""
