from wherefrom.models.attention.cache import Cache
from wherefrom.models.attention.mixers import MIXERS
from wherefrom.models.attention.packing import Packing

__all__ = ["MIXERS", "Cache", "Packing"]
