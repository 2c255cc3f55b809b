"""The colours of charts and pages, each with its place in light and in dark surroundings.

Series have the colours of Okabe and Ito, "Color universal design" (2008), which the colour-blind can tell apart. A
chart is drawn in the light colours; a page puts the names of CSS variables in their places.
"""

INK, MUTED, GRID = "#1b1f24", "#57606a", "#d8dee4"
SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
BANDS = ("#f3c9ad", "#eceff2", "#bcd9ee")
"""Behind what is poor, between, and good."""

HEAT = (
    "#a84500", "#d9773a", "#eeb08a", "#f8dfcf", "#f1f2f4", "#cfe3f1", "#8fc1e2", "#4a97cb", "#005c91",
)  # fmt: skip
"""From the least to the most, the middle one for neither."""

ON_STRONG = "#ffffff"
"""Of text on the first and the last colour of HEAT."""

_DARK = {
    INK: "#e6e9ed",
    MUTED: "#a2abb5",
    GRID: "#3a4149",
    **dict(
        zip(SERIES, ("#56b4e9", "#e69f00", "#12b88a", "#cc79a7", "#f0e442", "#e8743b"), strict=True)
    ),
    **dict(zip(BANDS, ("#5a3016", "#2a3037", "#173f5a"), strict=True)),
    **dict(
        zip(
            HEAT,
            (
                "#a04000", "#853a08", "#66320f", "#463024", "#2d333a", "#233c50", "#1f4a6b", "#155a88",
                "#0b69a3",
            ),
            strict=True,
        )
    ),
}  # fmt: skip

VARIABLES: dict[str, str] = {
    INK: "--ink",
    MUTED: "--muted",
    GRID: "--grid",
    **{colour: f"--series-{k}" for k, colour in enumerate(SERIES, 1)},
    **{colour: f"--band-{k}" for k, colour in enumerate(BANDS, 1)},
    **{colour: f"--heat-{k}" for k, colour in enumerate(HEAT, 1)},
}
"""By colour the CSS variable that stands for it."""


def css_variables(dark: bool) -> str:
    """Return the declarations of all variables, in light or in dark surroundings."""
    return " ".join(f"{name}: {_DARK[colour] if dark else colour};" for colour, name in VARIABLES.items())
