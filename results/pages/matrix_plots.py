"""Charts of matrices: who beats whom, and what is judged how."""

from collections.abc import Mapping, Sequence

import altair as alt

from results.pages.chart_style import finished, inline_rows, short_names
from results.pages.page import Spec
from results.pages.palette import BANDS, GRID, HEAT, INK, ON_STRONG
from results.printing import visible

_ROW, _LOW_ROW = 34, 28
#: Of more strategies, cells tell whole per cents.
_MOST_IN_TENTHS = 8
#: With more columns, verdicts are told by their first letters.
_MOST_SPELLED = 3


def heat_chart(
    names: Sequence[str], cells: Mapping[tuple[str, str], float], row_words: str, column_words: str
) -> Spec:
    """Return a matrix of percentages around 50 as a heat map; absent cells stay empty."""
    reach = max([1.0, *(abs(value - 50) for value in cells.values())])
    steps, short = len(HEAT), short_names(names)
    crowded = len(names) > _MOST_IN_TENTHS
    rows = []
    for (row, column), value in cells.items():
        place = min(steps - 1, int((value - 50 + reach) / (2 * reach) * steps))
        rows.append(
            {
                "row": short[row],
                "column": short[column],
                "value": value,
                "text": f"{value:.{0 if crowded else 1}f}",
                "full": f"{value:.4f}",
                "colour": HEAT[place],
                "strong": place in (0, steps - 1),
            }
        )
    order = list(short.values())
    base = alt.Chart(inline_rows(rows)).encode(
        x=alt.X(
            "column:N",
            scale=alt.Scale(domain=order),
            title=visible(column_words),
            axis=alt.Axis(
                orient="top", labelAngle=-60, labelAlign="left", labelOverlap=False, ticks=False, domain=False
            ),
        ),
        y=alt.Y("row:N", scale=alt.Scale(domain=order), title=None, axis=alt.Axis(ticks=False, domain=False)),
        tooltip=[
            alt.Tooltip("row:N", title=visible(row_words)),
            alt.Tooltip("column:N", title=visible(column_words)),
            alt.Tooltip("full:N", title="%"),
        ],
    )
    squares = base.mark_rect(stroke=GRID, strokeWidth=1).encode(color=alt.Color("colour:N", scale=None))
    words = base.mark_text(fontSize=10 if crowded else 12).encode(
        text="text:N", color=alt.condition("datum.strong", alt.value(ON_STRONG), alt.value(INK))
    )
    return finished(alt.layer(squares, words), (_LOW_ROW if crowded else _ROW) * len(names))


def verdict_chart(names: Sequence[str], verdicts: Mapping[str, Mapping[str, str | None]]) -> Spec:
    """Return a matrix of verdicts, a line each measure and a column each name; one that has none stays empty.

    A verdict is spelled where there is room, and told by its letters where there is none.
    """
    columns, lines = short_names(names), short_names(verdicts)
    rows = []
    for measure, own in verdicts.items():
        for name, verdict in own.items():
            if verdict is not None:
                short = verdict if len(names) <= _MOST_SPELLED else letters_of(verdict)
                rows.append(
                    {
                        "row": lines[measure],
                        "column": columns[name],
                        "verdict": verdict,
                        "text": short,
                        "colour": _COLOURS.get(verdict, BANDS[1]),
                    }
                )
    base = alt.Chart(inline_rows(rows)).encode(
        x=alt.X(
            "column:N",
            scale=alt.Scale(domain=list(columns.values())),
            title=None,
            axis=alt.Axis(
                orient="top", labelAngle=-60, labelAlign="left", labelOverlap=False, ticks=False, domain=False
            ),
        ),
        y=alt.Y(
            "row:N",
            scale=alt.Scale(domain=list(lines.values())),
            title=None,
            axis=alt.Axis(ticks=False, domain=False),
        ),
        tooltip=[
            alt.Tooltip("row:N", title=" "),
            alt.Tooltip("column:N", title="under"),
            alt.Tooltip("verdict:N", title="verdict"),
        ],
    )
    squares = base.mark_rect(stroke=GRID, strokeWidth=1).encode(color=alt.Color("colour:N", scale=None))
    words = base.mark_text(fontSize=12, color=INK).encode(text="text:N")
    return finished(alt.layer(squares, words), _LOW_ROW * len(verdicts))


def letters_of(verdict: str) -> str:
    """Return a verdict's letters: G, F, P, two of them where it lies between, and ? where nothing is settled."""
    letters = [word[0].upper() for word in verdict.split() if word in ("good", "fair", "poor")]
    return "/".join(letters) or "?"


_COLOURS = {"good": BANDS[2], "poor": BANDS[0]}
