"""A small text with questions whose truths are known by hand, as a user's own files."""

CORPUS = """\
Ada Lund was born in Oslo and baked bread.
In Rome lived Bo Falk, a poet.
CY ROTH sang with Ada Lund.

Nobody is told of here.
"""
QUESTIONS = """\
Where was Ada Lund born?\tOslo
Where was Bo Falk born?\tParis
Where was Cy Roth born?\tRome
Where was Di Holm born?\tLima
What did Ada Lund do for a living?\tbaker
What did Bo Falk do for a living?\tpoet
What did Cy Roth do for a living?\tsinger
Where was Ada Lund born?\tOslo
Where was Bo Falk born?\tRome
How tall is Ada Lund?\ttwo metres
"""
ALL_ASKED = {"held_out_share": 0.0, "calibration_share": 0.0}
