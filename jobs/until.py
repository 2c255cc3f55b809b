"""What is left to play of a run, chunk by chunk, and the looks after which a match with questions may stop.

Nothing beyond the next look is handed out before that look, and a look is at all deals from the first one on. So what
is played hangs on the job alone: no worker's speed, no stop and no resumption can change it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Sequence

from results.scan import game_arrays
from results.store import Match, Run
from results.until.questions import Answer, deal_differences
from results.until.stops import all_differences, answers_of, looks, stop_content, stop_path, write_stop

Place = tuple[int, int]


class Remaining:
    """The chunks that a run lacks, handed out in the order of matches as soon as each may be begun.

    `run` has its matches as planned, with all the deals that they may have. Of what it lacks `only` these chunks are
    handed out where that is given: they were played before, and wait for no look. Reads the parts of matches with
    questions, each once; raises DamagedPart where one is not whole. Nothing is written before `settle`.
    """

    def __init__(self, run: Run, only: Collection[Place] | None = None) -> None:
        self._lines = [
            _Line(run, match, only) if match.until else _PlainLine(run, match, only) for match in run.matches
        ]
        self._all = only is None
        self._front = 0

    @property
    def there(self) -> int:
        """Counts the games that are there, of what is to be played."""
        return sum(line.there for line in self._lines)

    @property
    def is_nothing(self) -> bool:
        """Tells whether nothing is left, and every stop is written down as the parts have it."""
        return all(line.is_over and line.is_settled for line in self._lines)

    def take(self) -> Place | None:
        """Hands out the next chunk; None where none is left, or none may be begun before those begun have landed."""
        while self._front < len(self._lines):
            line = self._lines[self._front]
            chunk = line.take()
            if chunk is not None:
                return line.match.number, chunk
            if self._all and not line.is_over:
                return None
            self._front += 1
        return None

    def land(self, number: int, chunk: int) -> Sequence[str]:
        """Hears that the part of a chunk is committed, and looks at its match where that is due.

        Returns what was wrong of what was written down about the match, if that is known now.
        """
        return self._lines[number].land(chunk)

    def settle(self) -> list[str]:
        """Writes down the stops of matches that are over, and removes those that the parts don't show.

        Returns what was wrong. A stop whose parts are not all there may be right, and stays.
        """
        return [line for match_line in self._lines for line in match_line.settle()]

    def unsettled(self) -> list[int]:
        """Returns the matches that are over and whose stop is not written down as the parts have it."""
        return [line.match.number for line in self._lines if line.is_over and not line.is_settled]

    def answers(self) -> list[tuple[Match, list[Answer]]]:
        """Returns the matches with questions, as they ended, and what their deals answer."""
        return [(line.ended, line.answers) for line in self._lines if isinstance(line, _Line)]


class _PlainLine:
    """The chunks of a match that plays all its games."""

    def __init__(self, run: Run, match: Match, only: Collection[Place] | None) -> None:
        self.run, self.match = run, match
        self._waits = only is None
        self._missing = deque(
            chunk for chunk in run.missing_chunks(match) if only is None or (match.number, chunk) in only
        )

    @property
    def is_settled(self) -> bool:
        return True

    @property
    def is_over(self) -> bool:
        return not self._missing

    @property
    def there(self) -> int:
        left = sum(len(self.match.chunk_deals_of(chunk)) for chunk in self._missing)
        return self.match.games - left * self.match.seatings

    def take(self) -> int | None:
        if not self._missing or (self._waits and self._missing[0] >= self._limit):
            return None
        return self._missing.popleft()

    @property
    def _limit(self) -> int:
        return self.match.chunks

    def land(self, chunk: int) -> Sequence[str]:
        del chunk
        return ()

    def settle(self) -> Sequence[str]:
        return ()


class _Line(_PlainLine):
    """The chunks of a match with questions, up to the look that answers them all."""

    def __init__(self, run: Run, match: Match, only: Collection[Place] | None) -> None:
        super().__init__(run, match, only)
        self.answers: list[Answer] = []
        self.ended = match
        self._there = set(run.committed_chunks(match))
        self._differences = all_differences(match)
        self._columns = sorted({question.measure for question in match.until})
        self._looks = looks(match)
        self._next_look = next(self._looks)
        self._tallied = 0
        self._look_while_there()

    @property
    def is_over(self) -> bool:
        return self._tallied == self._limit

    @property
    def there(self) -> int:
        return super().there if self.ended is self.match else self.ended.games

    @property
    def _limit(self) -> int:
        return self._next_look

    @property
    def is_settled(self) -> bool:
        path = stop_path(self.run.path, self.match.number)
        return (path.read_bytes() if path.exists() else None) == self._content

    @property
    def _content(self) -> bytes | None:
        if self.ended is self.match:
            return None
        return stop_content(self.run.digest, self.match, self.ended.chunks, self.answers)

    def land(self, chunk: int) -> Sequence[str]:
        self._there.add(chunk)
        self._look_while_there()
        return self.settle()

    def settle(self) -> Sequence[str]:
        path, content = stop_path(self.run.path, self.match.number), self._content
        if not self.is_over or self.is_settled:
            return ()
        wrong = [f"{path} is not what the parts show: it is made again"] if path.exists() else []
        if content is None:
            path.unlink()
        else:
            write_stop(self.run.path, self.match.number, content)
        return wrong

    def _look_while_there(self) -> None:
        while self._tallied < self._next_look and self._tallied in self._there:
            self._tally(self._tallied)
            self._tallied += 1
            if self._tallied == self._next_look:
                self._look()

    def _look(self) -> None:
        self.answers = answers_of(self.match, self._differences)
        if self._tallied == self.match.chunks:
            return
        if all(answer.verdict for answer in self.answers):
            self.ended = self.match.stopped_after(self._tallied)
            self._missing.clear()
        else:
            self._next_look = next(self._looks)

    def _tally(self, chunk: int) -> None:
        arrays = game_arrays(self.run, self.match, chunk, self._columns)
        for question, differences in zip(self.match.until, self._differences, strict=True):
            differences.add(deal_differences(question, self.match, arrays))
