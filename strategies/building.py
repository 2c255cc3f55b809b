"""Builds a strategy of its class and parameters, and holds what it declares against what is allowed."""

from __future__ import annotations

from typing import Any

from sim.mistakes import near_hint
from sim.views import SEES, VIEWS
from strategies.strategy import Strategy, StrategyError, answers_question, is_planned, strategy_parameters

#: Words that a lineup may say of every strategy, and so no parameters of one.
MANNERS = ("steal", "pace")


def check_parameter_names(words: str, kind: type[Strategy]) -> None:
    """Raises StrategyError where a class has a parameter that a lineup would say of every strategy."""
    own = [name for name in MANNERS if name in strategy_parameters(kind)]
    if own:
        raise StrategyError(
            f"strategy {words}: has a parameter {own[0]} of its own; {' and '.join(MANNERS)} are understood of every "
            "strategy in a lineup, so give it another name"
        )


def build_strategy(words: str, kind: type[Strategy], parameters: dict[str, Any]) -> Strategy:
    """Builds a strategy; raises StrategyError where its class can't play."""
    try:
        strategy = kind(**parameters)
    except (Exception, SystemExit) as error:
        raise StrategyError(f"strategy {words}: can't be built: {type(error).__name__}: {error}") from error
    _check_declared(words, strategy, "sees", SEES)
    _check_declares_open(words, strategy, "sees", "what may be filled")
    if not is_planned(strategy):
        lacking = [method for method in ("keep", "choose") if not callable(getattr(strategy, method, None))]
        if lacking:
            raise StrategyError(
                f"strategy {words}: has no {' and no '.join(lacking)}; "
                "give keep(dice, sheet, rolls_left) and choose(dice, sheet), or plan(sheet)"
            )
    _check_question(words, strategy, "steal", "steal(offer, sheet)")
    _check_question(words, strategy, "forfeit", "forfeit(sheet)")
    _check_declares_open(words, strategy, "forfeit_sees", "what may be forfeited")
    return strategy


def _check_question(words: str, strategy: Strategy, method: str, form: str) -> None:
    """Holds one of the questions of a steal, which a strategy may leave out, and what it sees against the API."""
    declaration = f"{method}_sees"
    if answers_question(strategy, method) and not callable(getattr(strategy, method)):
        asked = getattr(strategy, method)
        raise StrategyError(f"strategy {words}: {method} is {asked!r}; a method {form} is needed, or none")
    _check_declared(words, strategy, declaration, VIEWS)
    if not hasattr(strategy, method) and getattr(strategy, declaration) != getattr(Strategy, declaration):
        raise StrategyError(f"strategy {words}: declares {declaration} but is never asked; give {form} too")


def _check_declared(words: str, strategy: Strategy, declaration: str, allowed: Any) -> None:
    sees = getattr(strategy, declaration, None)
    if not isinstance(sees, tuple) or not all(isinstance(view, str) for view in sees):
        example = getattr(Strategy, declaration)
        raise StrategyError(
            f"strategy {words}: {declaration} is {sees!r}; a tuple of names is needed, as {declaration} = {example!r}"
        )
    unknown = [view for view in sees if view not in allowed]
    if "coin" in unknown:
        raise StrategyError(
            f"strategy {words}: {declaration} names coin, which is for keep and choose alone; "
            f"allowed: {', '.join(allowed)}"
        )
    if unknown:
        raise StrategyError(
            f"strategy {words}: {declaration} names {', '.join(unknown)}{near_hint(unknown[0], allowed)}; "
            f"allowed: {', '.join(allowed)}"
        )


def _check_declares_open(words: str, strategy: Strategy, declaration: str, what: str) -> None:
    sees = getattr(strategy, declaration)
    if "open" not in sees:
        raise StrategyError(
            f"strategy {words}: {declaration} is {sees!r}; add 'open', "
            f"for {what} depends on the open categories"
        )
