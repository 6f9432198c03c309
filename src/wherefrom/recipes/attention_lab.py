"""`attention-lab`: claims about attention, each computed, checked, drawn; wrong ones refuted."""

from wherefrom.core.recipe import Demonstrations


def attention_lab() -> Demonstrations:
    return Demonstrations(
        name="attention-lab",
        summary="what attention can do, computed and drawn; wrong statements of it refuted",
    )
