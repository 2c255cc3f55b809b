"""Draws charts: from Vega-Lite to SVG that takes the colours and letters of the page around it, and to PNG."""

import json
import re
from typing import Any

import vl_convert

from results.pages.page import Chart, Spec
from results.pages.palette import INK, VARIABLES

WIDE, NARROW = 680, 340
"""Widths in pixels for a desk and for a phone."""

PNG_SCALE = 2
_FIRST_PLANE = 0xFFFF
_MARK_UP = re.compile(r' (?:xmlns(?::xlink)?|version|font-family|pointer-events)="[^"]*"')
_TAG = re.compile(r"<[^>]*>")
_LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_COLOUR = re.compile(r'(fill|stroke)="(#[0-9a-fA-F]{6}|black)"')
_OPENING = re.compile(r'<svg class="marks" width="([\d.]+)" height="([\d.]+)" viewBox="([^"]+)">')


def at_width(spec: Spec, width: int) -> Spec:
    """Return a chart made for a width: a narrow one has shorter labels and fewer names of series in a line."""
    narrow = width < WIDE
    config: dict[str, Any] = dict(spec["config"])
    # What is cut between the halves of a sign beyond the first plane, such as an emoji, can't be measured.
    is_cut = not any(ord(sign) > _FIRST_PLANE for sign in json.dumps(spec, ensure_ascii=False))
    config["legend"] = config["legend"] | {
        "columns": 2 if narrow else 3,
        "labelLimit": 130 if narrow else 190,
    }
    config["axisY"] = config["axisY"] | {"labelLimit": (120 if narrow else 200) if is_cut else 0}
    return spec | {"width": width, "config": config}


def svg_of(chart: Chart, width: int, name: str) -> str:
    """Return a chart as SVG for the body of an HTML page; `name` begins all its ids."""
    drawn = vl_convert.vegalite_to_svg(at_width(chart.spec, width), allowed_base_urls=[])
    # Within tags alone: what stands between them is the text of labels, which may look like anything.
    drawn = _TAG.sub(lambda tag: _fitted(tag[0], name), drawn)
    opening = (
        rf'<svg viewBox="\3" role="img" aria-labelledby="{name}-title {name}-words">'
        f'<title id="{name}-title">@title@</title><desc id="{name}-words">@words@</desc>'
    )
    return _OPENING.sub(opening, drawn, count=1)


def png_of(chart: Chart) -> bytes:
    """Return a chart as a PNG on white, twice as large as on a page."""
    spec = at_width(chart.spec, WIDE)
    config = spec["config"] | {"background": "white"}
    image: bytes = vl_convert.vegalite_to_png(
        spec | {"config": config}, scale=PNG_SCALE, allowed_base_urls=[]
    )
    return image


def script_bundle() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one script that needs nothing else and gives the page `vegaEmbed`."""
    bundle: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return bundle.replace("</script", r"<\/script").replace("<!--", r"<\!--")


def spec_text(spec: Spec) -> str:
    """Return a chart as JSON that is harmless within an HTML page."""
    text = json.dumps(spec, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _fitted(tag: str, name: str) -> str:
    """Return a tag without what a page needs not, in the colours of the page, its ids begun with a name."""
    tag = _LONG_NUMBER.sub(_shortened, _MARK_UP.sub("", tag))
    tag = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', _COLOUR.sub(_variable, tag))
    return re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", tag)


def _shortened(found: re.Match[str]) -> str:
    """Return a coordinate to the hundredth of a pixel."""
    return f"{float(found[0]):.2f}".rstrip("0").rstrip(".")


def _variable(found: re.Match[str]) -> str:
    colour = INK if found[2] == "black" else found[2].lower()
    name = VARIABLES.get(colour)
    return f'{found[1]}="var({name})"' if name else found[0]
