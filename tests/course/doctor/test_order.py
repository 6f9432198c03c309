"""An order survives the way to the child process."""

import json

from wherefrom.core.config import from_json, to_json
from wherefrom.course.doctor.order import Order


def test_an_order_comes_back_from_json():
    order = Order(
        checks="module:CHECKS",
        names=("shift", "masks"),
        folder="/home/ada/submission",
        data=None,
        answers="/answers.tsv",
        paths=("/a",),
        year="xcs2022",
        seconds=3,
        memory_mb=64,
        broken="it was killed",
        pipe=7,
    )
    assert from_json(Order, json.loads(json.dumps(to_json(order))), "order") == order
