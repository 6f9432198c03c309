from wherefrom.models.attention.kv_cache import Cache
from wherefrom.models.attention.mixers import MIXERS
from wherefrom.models.attention.packing import Packing

__all__ = ["MIXERS", "Cache", "Packing"]
