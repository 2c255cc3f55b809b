"""Puts questions to a strategy: under a time limit, with what it prints on stderr and what fails told in words."""

from __future__ import annotations

import sys
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, redirect_stdout
from pathlib import Path
from typing import Any, ClassVar, Protocol

from sim.recording import UNWATCHED, recording
from strategies.loading import is_users
from strategies.memory_limit import lift_memory_limit, memory_limited
from strategies.strategy import StrategyError
from strategies.time_limit import TimeLimit, TimeLimitError

#: A single decision may take this many seconds; a strategy that loops for ever is stopped by it.
DECISION_SECONDS = 5.0
#: An answer is shown in a message up to this many characters.
MOST_SHOWN = 80
#: What a strategy that may not have more memory is told to have done.
NO_MEMORY = " takes more memory than there is"


class Shown(Protocol):
    """What a strategy is shown with a question."""

    def words(self) -> str:
        """Describes it, for messages."""


class Questioner(ABC):
    """Puts questions to one strategy, known by its label, and tells its failures with what it was shown.

    `under` names the ruleset. What a user's own strategy is asked is noted for who keeps watch over the process. A
    subclass names in `shows` what that is, says in `question` what was asked last, and counts in `asked` the
    situations that it has asked about, one that failed included.
    """

    shows: ClassVar[str]

    def __init__(self, label: str, under: str = "") -> None:
        self.label = label
        self.under = under
        self.asked = 0
        self._is_users = is_users(label)
        self._recording = recording() if self._is_users else UNWATCHED
        self._codes = self._recording.codes
        self._shown: Shown | None = None
        self._limit = TimeLimit()

    @contextmanager
    def limited(self, seconds: float = DECISION_SECONDS) -> Iterator[None]:
        """Stops any single decision asked inside this block after `seconds` to twice that.

        What a strategy prints goes to stderr: stdout carries dicecup's own answer. A user's own strategy has a limit
        on memory, too.
        """
        memory = memory_limited() if self._is_users else nullcontext()
        noted = self._recording.of(self.label, self.under)
        try:
            with noted, memory, self._limit.running(seconds), redirect_stdout(sys.stderr):
                yield
        except MemoryError:
            if not self._is_users or self._shown is None:
                raise
            raise self._error(NO_MEMORY, self._shown) from None
        except TimeLimitError:
            assert self._shown is not None, "no decision is asked where nothing is shown"
            fault = f" takes longer than {seconds:g} s; it may loop for ever"
            raise self._error(fault, self._shown) from None

    def two_answers(self, shown: Shown, advice: str, asked: str = "") -> StrategyError:
        """Returns the error of a question that is answered in one way, and then in another; `asked` may name it."""
        where = f"asked {asked}, where the" if asked else "the"
        return StrategyError(
            f"strategy {self.label}: answers the same question in different ways; {advice}\n"
            f"  {where} {self.shows} shows {shown.words()}"
        )

    @property
    @abstractmethod
    def question(self) -> str:
        """Names what was asked last."""

    def _begin(self, shown: Shown, code: int) -> None:
        self._codes[0] = code
        self._shown = shown
        self._limit.asked += 1

    def _answer(self, shown: Shown, ask: Callable[[], Any]) -> Any:
        try:
            answer = ask()
            self._limit.check()
            return answer
        except (KeyboardInterrupt, TimeLimitError):
            raise
        except StrategyError as error:
            raise self._error(f": {error}", shown) from None
        except MemoryError as error:
            if self._is_users:
                lift_memory_limit()
            raise self._error(f"{NO_MEMORY}: raises {_told(error)}", shown) from None
        except BaseException as error:
            raise self._error(f" raises {_told(error)}", shown) from error

    def _error(self, fault: str, shown: Shown) -> StrategyError:
        return StrategyError(
            f"strategy {self.label}: {self.question}{fault}\n  the {self.shows} shows {shown.words()}"
        )


def answer_words(answer: Any) -> str:
    """Returns an answer as a message shows it."""
    try:
        text = repr(answer)
    except Exception:
        text = f"a {type(answer).__name__}"
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."


def _told(error: BaseException) -> str:
    """Names an exception, with the line that raises it: the strategy's, where a view of ours refuses something."""
    lines = traceback.extract_tb(error.__traceback__)
    theirs = [line for line in lines if Path(line.filename).parent != Path(__file__).parent]
    raised = (theirs or lines)[-1]
    place = f" ({Path(raised.filename).name}, line {raised.lineno})"
    return f"{type(error).__name__}: {error}{place}" if str(error) else f"{type(error).__name__}{place}"
