"""The small corpus whose statements are known by hand, for all tests of this room."""

from tests.support.stated_world import checker, world

__all__ = ["checker", "world"]
