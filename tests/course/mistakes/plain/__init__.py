"""A solution as a student writes it: plain torch, nothing of the library. Graded in the tests."""

# ruff: noqa: F403
from .attention import *
from .dataset import *
from .helper import *
from .model import *
from .trainer import *
from .utils import *
