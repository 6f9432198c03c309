"""Weights out of a live model and into one, torch tensors and numpy arrays alike.

Learners carry their state this way, and so do run folders and stages that start from others.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from wherefrom.core.errors import Mismatch


def copy_weights(live: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The live tensors or arrays as numpy arrays that training no longer changes."""
    return {
        name: (w if isinstance(w, np.ndarray) else w.detach().cpu().numpy()).copy()
        for name, w in live.items()
    }


def load_weights(live: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Copy the arrays into the live tensors or arrays of the same names, shapes and types.

    All of them are checked before the first one is copied, so a refused set changes nothing.
    """
    for name in sorted(live.keys() | arrays.keys()):
        wanted, found = (_form(side.get(name)) for side in (live, arrays))
        if found != wanted:
            raise Mismatch(f"{name}: expected {wanted} as in the model, found {found}")
    for name, target in live.items():
        if isinstance(target, np.ndarray):
            target[...] = arrays[name]
        else:
            _load_tensor(target, arrays[name])


def _load_tensor(target: Any, array: np.ndarray) -> None:
    import torch  # here, so that a model in numpy can be trained without loading torch

    with torch.no_grad():
        target.copy_(torch.from_numpy(array))


def _form(weight: Any) -> str:
    """The type and the shape, such as float32 [16, 8]; tensors and arrays spell both alike."""
    if weight is None:
        return "nothing"
    return f"{str(weight.dtype).removeprefix('torch.')} {list(weight.shape)}"
