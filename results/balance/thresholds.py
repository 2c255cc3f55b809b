"""From where on a measure of balance is good or poor: the limits that are shipped, and a user's own."""

import difflib
import itertools
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from results.errors import RunError
from results.figures import Document
from results.statistics import Interval

SHIPPED = Path(__file__).with_name("thresholds.toml")
AS_IT_IS, UNSETTLED = "as it is", "unsettled"
VERDICTS = ("good", "good or fair", "fair", "fair or poor", "poor", UNSETTLED, AS_IT_IS)
"""What a verdict can be: two where the interval reaches over both, unsettled where good and poor are both possible."""

_COUNTING = "counting"
_KEYS = ("good_least", "good_most", "poor_below", "poor_above")


@dataclass(frozen=True)
class Limits:
    """Between which values a measure is good, and outside of which it is poor; None where there is no limit."""

    good_least: float | None = None
    good_most: float | None = None
    poor_below: float | None = None
    poor_above: float | None = None

    def mistakes(self) -> list[str]:
        """Return what makes no sense of these limits."""
        found = []
        if self.poor_below is not None and self.good_least is None:
            found.append("poor_below goes with good_least; give both")
        if self.poor_above is not None and self.good_most is None:
            found.append("poor_above goes with good_most; give both")
        order = ("poor_below", "good_least", "good_most", "poor_above")
        there = [(name, getattr(self, name)) for name in order if getattr(self, name) is not None]
        for (low_name, low), (high_name, high) in itertools.pairwise(there):
            if low > high:
                found.append(
                    f"{low_name} is {low:g}, above {high_name}, {high:g}; it may be {high:g} at most"
                )
        return found

    def verdict(self, interval: Interval | None) -> str:
        """Return the verdict on a measure of which an interval is known, or nothing."""
        least, most = self.good_least, self.good_most
        if least is None and most is None:
            return AS_IT_IS
        if interval is None:
            return UNSETTLED
        low, high = interval
        is_good = (most is None or low <= most) and (least is None or high >= least)
        is_poor = _is_below(low, self.poor_below) or _is_below(-high, _minus(self.poor_above))
        is_fair = _reaches(low, high, self.poor_below, least) or _reaches(
            -high, -low, _minus(self.poor_above), _minus(most)
        )
        if is_good and is_poor:
            return UNSETTLED
        names = [name for name, is_one in (("good", is_good), ("fair", is_fair), ("poor", is_poor)) if is_one]
        return " or ".join(names)


@dataclass(frozen=True)
class Thresholds:
    """The limits by measure, and from where on a game or a category counts as something; `source` names the files."""

    limits: Mapping[str, Limits]
    counting: Mapping[str, float]
    source: str = "shipped"

    def verdict(self, measure: str, interval: Interval | None) -> str:
        """Return the verdict on a measure, one of VERDICTS."""
        return self.limits[measure].verdict(interval)

    def document(self) -> Document:
        """Return all that was used, without limits that there are not."""
        limits = {
            measure: {key: value for key in _KEYS if (value := getattr(own, key)) is not None}
            for measure, own in self.limits.items()
        }
        return {"source": self.source, _COUNTING: dict(self.counting), "measures": limits}


def load_thresholds(path: Path | None = None) -> Thresholds:
    """Return the thresholds that are shipped, with those of a user's file in place of single ones.

    RunError tells every mistake of the file.
    """
    shipped = tomllib.loads(SHIPPED.read_text(encoding="utf-8"))
    counting = shipped.pop(_COUNTING)
    limits = {measure: Limits(**own) for measure, own in shipped.items()}
    if path is None:
        return Thresholds(limits, counting)
    lines: list[str] = []
    for name, own in _read(path).items():
        known = counting if name == _COUNTING else _KEYS if name in limits else None
        if known is None:
            lines.append(f"{name}: {_unknown('measure', name, [_COUNTING, *limits])}")
            continue
        if not isinstance(own, dict):
            lines.append(f"{name}: {own!r} given; a table is needed, as [{name}]")
            continue
        faults = [fault for key, value in own.items() for fault in _value_faults(key, value, known)]
        if name == _COUNTING:
            counting |= own
        elif not faults:
            limits[name] = Limits(**{key: float(value) for key, value in own.items()})
            faults = limits[name].mistakes()
        lines += [f"{name}: {fault}" for fault in faults]
    if lines:
        raise RunError("\n  ".join([f"thresholds {path}: {_counted(lines)}", *lines]))
    return Thresholds(limits, {key: float(value) for key, value in counting.items()}, str(path))


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise RunError(f"thresholds {path}: can't be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise RunError(f"thresholds {path}: not valid TOML: {error}") from None


def _value_faults(key: str, value: Any, known: Iterable[str]) -> list[str]:
    if key not in known:
        return [_unknown("key", key, known)]
    if isinstance(value, bool) or not isinstance(value, int | float) or not _is_bounded(value):
        return [f"{key}: {value!r} given; a number is needed"]
    if known is not _KEYS and value < 0:
        return [f"{key}: {value:g} given; at least 0 is allowed"]
    return []


def _is_bounded(value: float) -> bool:
    # Whole numbers of TOML have no end, and beyond 1e308 no float.
    return abs(value) <= sys.float_info.max


def _unknown(kind: str, name: str, known: Iterable[str]) -> str:
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    return f"unknown {kind} {name!r}{hint}; allowed: {', '.join(names)}"


def _counted(lines: list[str]) -> str:
    return "1 mistake" if len(lines) == 1 else f"{len(lines)} mistakes"


def _minus(limit: float | None) -> float | None:
    return None if limit is None else -limit


def _is_below(low: float, limit: float | None) -> bool:
    return limit is not None and low < limit


def _reaches(low: float, high: float, poor_below: float | None, good_least: float | None) -> bool:
    """Return whether an interval holds a value below what is good that is not poor."""
    if good_least is None or low >= good_least:
        return False
    return poor_below is None or (poor_below < good_least and high >= poor_below)
