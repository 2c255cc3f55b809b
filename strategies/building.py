"""Builds a strategy of its class and parameters, and holds what it declares against what is allowed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sim.ceelo.views import VIEWS as BETTOR_VIEWS
from sim.mistakes import near_hint
from sim.recording import BUILDING
from sim.views import SEES, VIEWS
from strategies.bettor import Bettor
from strategies.loading import load_fault, load_limited
from strategies.manner import MANNERS
from strategies.strategy import (
    GameStrategy,
    Strategy,
    StrategyError,
    answers_question,
    is_planned,
    strategy_parameters,
)

#: What a strategy is built on, for each game.
BASES: tuple[type[GameStrategy], ...] = (Strategy, Bettor)
#: Why a view that mixes is not among those allowed.
NO_COIN = "which is for keep and choose alone"
NO_BETTORS_COIN = "but a bettor doesn't mix: each situation has one stake"

#: What to do where a class has the methods of the other game.
OTHER_BASE = {
    "Strategy": "a strategy of Cheerio is built on Strategy",
    "Bettor": "a strategy of Cee-lo is built on Bettor",
}


def manners_of(kind: type[GameStrategy]) -> tuple[str, ...]:
    """Returns the words that a lineup may say of a strategy beside its own parameters."""
    return MANNERS if issubclass(kind, Strategy) else ()


def check_parameter_names(words: str, kind: type[GameStrategy]) -> None:
    """Raises StrategyError where a class has a parameter that a lineup would say of every strategy."""
    own = [name for name in manners_of(kind) if name in strategy_parameters(kind)]
    if own:
        raise StrategyError(
            f"strategy {words}: has a parameter {own[0]} of its own; {' and '.join(MANNERS)} are understood of every "
            "strategy in a lineup, so give it another name"
        )


def build_strategy(words: str, kind: type[GameStrategy], parameters: dict[str, Any]) -> GameStrategy:
    """Builds a strategy; raises StrategyError where its class can't play."""
    try:
        with load_limited(words, BUILDING):
            strategy = kind(**parameters)
    except KeyboardInterrupt:
        raise
    except StrategyError as error:
        raise StrategyError(f"strategy {words}: {error}") from None
    except BaseException as error:
        raise StrategyError(f"strategy {words}: can't be built: {load_fault(error)}") from error
    bases = [base for base in BASES if isinstance(strategy, base)]
    if len(bases) != 1:
        raise StrategyError(f"strategy {words}: is both a Strategy and a Bettor; build it on one of them")
    if strategy.game != bases[0].game:
        raise StrategyError(
            f"strategy {words}: game is {strategy.game!r}; leave it out: a {bases[0].__name__} plays {bases[0].game}"
        )
    if isinstance(strategy, Strategy):
        _check_strategy(words, strategy)
    elif isinstance(strategy, Bettor):
        _check_bettor(words, strategy)
    return strategy


def _check_strategy(words: str, strategy: Strategy) -> None:
    _check_declared(words, strategy, "sees", SEES, Strategy.sees)
    _check_declares_open(words, strategy, "sees", "what may be filled")
    if not is_planned(strategy):
        lacking = [method for method in ("keep", "choose") if not callable(getattr(strategy, method, None))]
        if lacking:
            other = f"; {OTHER_BASE['Bettor']}" if hasattr(strategy, "stake") else ""
            raise StrategyError(
                f"strategy {words}: has no {' and no '.join(lacking)}; "
                f"give keep(dice, sheet, rolls_left) and choose(dice, sheet), or plan(sheet){other}"
            )
    _check_question(words, strategy, "steal", "steal(offer, sheet)")
    _check_question(words, strategy, "forfeit", "forfeit(sheet)")
    _check_declares_open(words, strategy, "forfeit_sees", "what may be forfeited")


def _check_bettor(words: str, bettor: Bettor) -> None:
    _check_declared(words, bettor, "sees", BETTOR_VIEWS, ("chips",), NO_BETTORS_COIN)
    planned = is_planned(bettor)
    method = "plan" if planned else "stake"
    if method in strategy_parameters(bettor):
        raise StrategyError(
            f"strategy {words}: {method} is both a parameter and what is asked; give the parameter another name"
        )
    if planned and callable(getattr(type(bettor), "stake", None)):
        raise StrategyError(
            f"strategy {words}: has both stake and plan; give stake(table), or plan(table) for many tables at once"
        )
    if not hasattr(bettor, method):
        other = f"; {OTHER_BASE['Strategy']}" if hasattr(bettor, "keep") else ""
        raise StrategyError(
            f"strategy {words}: has no stake; give stake(table), or plan(table) for many tables at once{other}"
        )
    if not callable(getattr(bettor, method)):
        raise StrategyError(
            f"strategy {words}: {method} is {getattr(bettor, method)!r}; a method {method}(table) is needed"
        )


def _check_question(words: str, strategy: Strategy, method: str, form: str) -> None:
    """Holds one of the questions of a steal, which a strategy may leave out, and what it sees against the API."""
    declaration = f"{method}_sees"
    if answers_question(strategy, method) and not callable(getattr(strategy, method)):
        asked = getattr(strategy, method)
        raise StrategyError(f"strategy {words}: {method} is {asked!r}; a method {form} is needed, or none")
    _check_declared(words, strategy, declaration, VIEWS, getattr(Strategy, declaration))
    if not hasattr(strategy, method) and getattr(strategy, declaration) != getattr(Strategy, declaration):
        raise StrategyError(f"strategy {words}: declares {declaration} but is never asked; give {form} too")


def _check_declared(
    words: str,
    strategy: GameStrategy,
    declaration: str,
    allowed: Iterable[str],
    example: tuple[str, ...],
    no_coin: str = NO_COIN,
) -> None:
    sees = getattr(strategy, declaration, None)
    if not isinstance(sees, tuple) or not all(isinstance(view, str) for view in sees):
        raise StrategyError(
            f"strategy {words}: {declaration} is {sees!r}; a tuple of names is needed, as {declaration} = {example!r}"
        )
    unknown = [view for view in sees if view not in allowed]
    if "coin" in unknown:
        raise StrategyError(
            f"strategy {words}: {declaration} names coin, {no_coin}; allowed: {', '.join(allowed)}"
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
