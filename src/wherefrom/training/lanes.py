"""Small pieces of work that do not depend on each other, side by side on a GPU.

What is done for each model of a stack by itself fills a small part of the chip. In a captured step,
work on several streams becomes branches of the graph, which run at the same time.
"""

from collections.abc import Callable, Iterable

import torch

_LANES = 8


class Lanes:
    """A few streams of a GPU; on a CPU, one piece is done after the other."""

    def __init__(self, device: torch.device) -> None:
        gpu = device.type == "cuda"
        self.streams = [torch.cuda.Stream(device) for _ in range(_LANES)] if gpu else []

    def run(self, pieces: Iterable[Callable[[], object]]) -> None:
        """Do all of them; what follows on the current stream waits for them."""
        if not self.streams:
            for piece in pieces:
                piece()
            return
        current = torch.cuda.current_stream()
        for stream in self.streams:
            stream.wait_stream(current)
        for number, piece in enumerate(pieces):
            with torch.cuda.stream(self.streams[number % _LANES]):
                piece()
        for stream in self.streams:
            current.wait_stream(stream)
