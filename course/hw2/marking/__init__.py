"""The homework's autograder: its tests, what they are worth, and how a submission is read."""
