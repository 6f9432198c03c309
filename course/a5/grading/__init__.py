"""The assignment's autograder: its tests, what they are worth, and how results are shown."""
