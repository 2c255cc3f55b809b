"""What happens when the user or the system asks a run to stop."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, Self

from jobs.kept import is_echo, is_left_alone
from results.patience import store_is_away

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class StopSign:
    """Notes a first SIGINT or SIGTERM, after which no chunk is begun; a second raises KeyboardInterrupt.

    `told` hears of the first. While `at_once` is set, or a store is waited for that is away, the first raises
    KeyboardInterrupt already. Signals reach the main thread alone; elsewhere the sign stays as it is set. `asker` is
    who asked first, where another process did.
    """

    def __init__(self, told: Callable[[], None]) -> None:
        self.asked = False
        self.asker = ""
        self.at_once = False
        self._told = told
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        self.install()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def install(self) -> None:
        """Puts the handlers in place, again where another library has taken their place."""
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                before = signal.signal(number, self._answer)
                self._before.setdefault(number, before)

    def _answer(self, _number: int, _frame: FrameType | None) -> None:
        if is_echo():
            return
        if self.asked or self.at_once or is_left_alone() or store_is_away():
            raise KeyboardInterrupt
        self.ask()

    def end_where_away(self) -> None:
        """Raises KeyboardInterrupt where a stop is asked for and the store is away, so that nothing more is stored."""
        if self.asked and store_is_away():
            raise KeyboardInterrupt

    def ask(self, asker: str = "") -> None:
        """Sets the sign, as a first signal does; from any thread."""
        if not self.asked:
            self.asked, self.asker = True, asker
            self._told()
