"""The data sets by kind: one file each, one entry here."""

from collections.abc import Callable
from typing import Any

from wherefrom.core.contracts import Dataset
from wherefrom.data import people, tiny_text

DATASETS: dict[str, tuple[type, Callable[[Any, int], Dataset]]] = {
    people.PeopleConfig.kind: (people.PeopleConfig, people.load),
    tiny_text.TinyTextConfig.kind: (tiny_text.TinyTextConfig, tiny_text.load),
}


def load_dataset(config: Any, seed: int) -> Dataset:
    _, load = DATASETS[config.kind]
    return load(config, seed)
