"""Models and runs as the page's engine is given them."""

from typing import Any

from wherefrom.answering.inspector import Inspector
from wherefrom.runs.opened_run import Run
from wherefrom.show.page.engine_data import embed_engine
from wherefrom.show.page.packed_models import pack_model


def pack(model: Any, precision: str = "fp32", config: Any = None) -> dict[str, Any]:
    """What `openModel` is given."""
    packed = pack_model("model", model, precision, config)
    return {"manifest": dict(packed.manifest), "weights": packed.weights.base64}


def embed(run: Run, inspector: Inspector | None = None) -> dict[str, Any]:
    """What `Engine` is given."""
    found = embed_engine(run, "fp32", inspector)
    return {"data": dict(found.data), "weights": dict(found.weights)}
