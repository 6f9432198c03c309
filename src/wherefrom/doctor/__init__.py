"""Looks at other people's solutions of the course's assignment: what is usual there, and what not.

Someone's code is run in a child process with limits. The same looks serve `wherefrom doctor`,
which gives hints, and the course's grader, which gives points.
"""
