"""One HTML file: the template filled in, with a policy that lets nothing else in or out.

Nothing is fetched, and the only script and style that run are those whose hashes stand in the
policy: text from a corpus cannot become a script even if it were not escaped, and all of it is.
"""

import base64
import hashlib
import json
import zlib
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from wherefrom.show.page.scripts import bundle, read_asset
from wherefrom.show.page.summary_sentences import confidence

PARTS = ("asking.html", "typing.html", "reviewing.html", "lab.html")  # where the model is asked
TEMPLATES = ("report.html", *PARTS, "reading.html", "marks.html")
INTERFACE, ENGINE = "ui/main.js", "engine/worker.js"


def render(name: str, values: Mapping[str, Any]) -> bytes:
    """A template with its values, and the page's style and script."""
    from jinja2 import DictLoader, Environment, StrictUndefined  # only reports need it

    style, script = read_asset("css/report.css"), bundle(INTERFACE)
    worker = "blob:" if values.get("embedded") else "'none'"
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src '{digest(script)}'",
            f"worker-src {worker}",
            f"style-src '{digest(style)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    sources = {each: read_asset(f"templates/{each}") for each in TEMPLATES}
    environment = Environment(
        loader=DictLoader(sources),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "embed": embed,
        "confidence": confidence,
        "checksum": checksum,
    }
    text = environment.get_template(name).render(
        **values,
        policy=policy,
        style=Markup(style),
        script=Markup(script),
        engine=inert(bundle(ENGINE)) if values.get("embedded") else "",
    )
    return text.encode()


def embed(value: Any) -> Markup:
    """JSON for a script element that does not run: no character in it can end the element."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return inert(text, json_text=True)


def inert(text: str, json_text: bool = False) -> Markup:
    """Text for such an element. In JSON, and in strings of a script, \\u003c is the same as <."""
    if json_text:
        for character in "<>&\u2028\u2029":
            text = text.replace(character, f"\\u{ord(character):04x}")
    elif "</script" in text.lower() or "<!--" in text:
        raise ValueError("a script must not have '</script' or '<!--' in it")
    return Markup(text)


def checksum(text: str) -> str:
    """A checksum, by which a reader of an element sees that it is as it was written."""
    return f"{zlib.crc32(text.encode()):08x}"


def digest(text: str) -> str:
    """A source of a content security policy: the hash of a script or style as it stands there."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
