from wherefrom.models.attention.cache import Cache
from wherefrom.models.attention.mixers import MIXERS

__all__ = ["MIXERS", "Cache"]
