"""JSON tables that hold the SHA-256 of the rest of them: one flipped bit is noticed.

For files that stand alone: manifests, seals, and what any process may compute again.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wherefrom.core.errors import Damaged
from wherefrom.core.files import one_line

_CHECKSUM = "checksum"


def spell_checked(table: Mapping[str, Any]) -> bytes:
    """The table as bytes, with the checksum of the rest of it."""
    body = {name: value for name, value in table.items() if name != _CHECKSUM}
    plain = json.dumps(body, ensure_ascii=False, allow_nan=False)
    checked = body | {_CHECKSUM: hashlib.sha256(plain.encode()).hexdigest()}
    return (json.dumps(checked, indent=1, ensure_ascii=False) + "\n").encode()


def parse_checked(data: bytes, path: Path, what: str) -> dict[str, Any]:
    """The table that `spell_checked` wrote, checksum included: byte by byte, or Damaged."""
    try:
        table = json.loads(data)
        intact = isinstance(table, dict) and data == spell_checked(table)
    except (ValueError, RecursionError) as error:
        raise Damaged(f"{path}: expected {what}, found: {one_line(error)}") from error
    if not intact:
        raise Damaged(f"{path}: expected {what} with its own checksum, found another")
    return table
