"""A category: what it asks of five dice, and what it pays."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from sim.mistakes import shown

Face = Annotated[int, Field(ge=1, le=6)]
Points = Annotated[int, Field(ge=0, le=1000)]
Dice = Literal["all dice", "matched dice"]


class Rules(BaseModel):
    """Forbids unknown keys and changes after loading."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def printable(text: str) -> str:
    """Returns a text that may be shown as it is; raises ValueError for any other."""
    if not text or not text.isprintable() or text != text.strip():
        raise ValueError(f"{shown(text)} given; printable text without spaces around it is needed")
    return text


class Pattern(Rules):
    """What a category asks of five dice; exactly one of the kinds is given.

    `face`: at least one die of that face, and all of them are matched. `alike`: at least that many alike.
    `groups`: distinct faces with at least these counts, as [3, 2]; `five_alike` lets five alike count too.
    `faces`: exactly these five faces. `run`: that many consecutive faces. `any`: every roll.
    """

    face: Face | None = None
    alike: Annotated[int, Field(ge=2, le=5)] | None = None
    groups: tuple[Annotated[int, Field(ge=1, le=4)], ...] | None = Field(None, strict=False)
    five_alike: bool = False
    faces: tuple[Face, ...] | None = Field(None, strict=False)
    run: Annotated[int, Field(ge=2, le=5)] | None = None
    any: bool | None = None

    @property
    def kind(self) -> str:
        """Names the one kind that is given."""
        return next(kind for kind in PATTERN_KINDS if getattr(self, kind) is not None)

    @model_validator(mode="after")
    def _is_one_kind(self) -> Self:
        given = [kind for kind in PATTERN_KINDS if getattr(self, kind) is not None]
        if len(given) != 1:
            named = " and ".join(given) or "none"
            raise ValueError(f"{named} given; exactly one of {', '.join(PATTERN_KINDS)} is needed")
        if self.groups is not None and (len(self.groups) < 2 or sum(self.groups) > 5):
            raise ValueError(
                f"groups {list(self.groups)}: two or more counts that add up to at most 5 are needed"
            )
        if self.five_alike and self.groups is None:
            raise ValueError("five_alike goes with groups only")
        if self.faces is not None and len(self.faces) != 5:
            raise ValueError(f"faces names {len(self.faces)} dice; all five are needed")
        if self.any is False:
            raise ValueError("any = false given; only any = true is allowed, or another kind of pattern")
        return self


PATTERN_KINDS = ("face", "alike", "groups", "faces", "run", "any")


class Pay(Rules):
    """What a category pays when its pattern is met: a constant plus the sum of some dice."""

    points: Points = 0
    plus: Dice | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_short_form(cls, given: Any) -> Any:
        if isinstance(given, bool) or not isinstance(given, (int, str, dict, Pay)):
            raise ValueError(f"{shown(given)} given; allowed: {PAY_FORMS}")
        if given == {}:
            raise ValueError(f"nothing given; allowed: {PAY_FORMS}")
        if isinstance(given, int):
            return {"points": given}
        if isinstance(given, str):
            if given not in ("all dice", "matched dice"):
                raise ValueError(f"{shown(given)} given; allowed: {PAY_FORMS}")
            return {"plus": given}
        return given


PAY_FORMS = 'points as a number, "all dice", "matched dice", or { points = 20, plus = "all dice" }'


class Category(Rules):
    """One line of a scoresheet."""

    name: Annotated[str, Field(max_length=40), AfterValidator(printable)]
    pattern: Pattern
    pays: Pay
    upper: bool = False
