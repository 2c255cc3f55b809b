"""The words of the measures of what players do: of skill, strategies, categories, steals and the clock."""

from results.balance.measure import Measure

_BALDUZZI = "Balduzzi, Tuyls, Perolat and Graepel (2018), Re-evaluating evaluation, NeurIPS 31"

SKILL = {
    "skill_gap": Measure(
        "skill",
        "What skill brings",
        "rate",
        "By how much the credit of the strongest strategy exceeds that of the weakest, seat for seat, as they play "
        "each other; strongest and weakest by their mean credit against all others.",
        "{first} is {lead} {second}, with {share} of the credit between the two",
        good="skill pays",
        fair="skill pays a little",
        poor="how one plays hardly matters",
    ),
    "optimal_gap": Measure(
        "skill",
        "Left to be learned",
        "rate",
        "By how much the credit of perfect play for points exceeds that of the strongest other strategy.",
        "Perfect play for points is {lead} {second}, with {share} of the credit between the two",
    ),
    "points_short": Measure(
        "skill",
        "Short of perfect",
        "points",
        "How far the mean score of the strongest strategy, perfect play left aside, is below the best that can be.",
        "{first} is {value} short of the best mean that can be",
    ),
    "luckier_rate": Measure(
        "skill",
        "Won by the luckier",
        "rate",
        "The share of won games that the side with the most luck of the dice wins, where all play alike. It is near "
        "100 % where they play well, as equals differ in luck alone.",
        "The luckier side wins {value} of the games among equals",
    ),
    "luck_share_points": Measure(
        "skill",
        "Luck in the points",
        "rate",
        "The share of the variance that luck explains, of how far a side's points exceed the others', among equals. "
        "It is near 100 % where they play well, as equals differ in luck alone.",
        "Luck explains {value} of the differences in points among equals",
        source="the squared correlation with luck; Lavenberg and Welch (1981), Management Science 27, 322-335",
    ),
    "luck_share_credit": Measure(
        "skill",
        "Luck in who wins, among equals",
        "rate",
        "The share of the variance of a side's credit that luck explains, among equals. As credit is all or nothing, a "
        "straight line explains about {linear} with so many sides even if all is luck, and less where points come in "
        "leaps.",
        "By a straight line, luck explains {value} of who wins among equals",
        source="the squared correlation with luck; Lavenberg and Welch (1981), Management Science 27, 322-335",
    ),
    "luck_share_gap": Measure(
        "skill",
        "Luck in who wins, strongest against weakest",
        "rate",
        "The share of the variance of the credit that luck explains, as the strongest strategy plays the weakest.",
        "By a straight line, luck explains {value} of who wins as {first} plays {second}",
        source="the squared correlation with luck; Lavenberg and Welch (1981), Management Science 27, 322-335",
    ),
}

DIVERSITY = {
    "best_reply": Measure(
        "diversity",
        "The strongest against its best rival",
        "rate",
        "What the strongest strategy takes of the credit from the one that does best against it, seat for seat.",
        "{first} takes {value} of the credit from {second}, which does best against it",
        good="another way to play nearly holds its own",
        fair="one way to play is better than all others here",
        poor="one way to play is clearly better than all others here",
    ),
    "effective_strategies": Measure(
        "diversity",
        "Strategies worth playing",
        "strategies",
        "How many strategies the equilibrium of the credit of all pairs is worth: the exponential of its entropy. It "
        "is 1 where one strategy beats all others.",
        "Among players who choose only what wins, {value} would be left",
        source=f"{_BALDUZZI}; interval by bootstrap over blocks of deals",
    ),
}

CATEGORIES = {
    "bonus_rate": Measure(
        "categories",
        "Sheets with the bonus",
        "rate",
        "The share of sheets that earn the bonus.",
        "{value} of the sheets earn the bonus",
        good="it can be reached, and has to be played for",
        fair="it comes seldom",
        poor="it is out of reach",
        above=("it comes nearly by itself", "it comes by itself"),
    ),
    "joker_mean": Measure(
        "categories",
        "Jokers",
        "jokers",
        "How often a sheet is paid for five alike beyond their category.",
        "A sheet is paid for {value}",
    ),
}

STEALS = {
    "steal_rate": Measure(
        "steals",
        "Games with a steal",
        "rate",
        "The share of games in which somebody steals.",
        "{value} of the games see a steal",
    ),
    "steal_gain": Measure(
        "steals",
        "Gain of stealing",
        "rate",
        "The credit that a side gains over the same game played with this side never stealing, all else alike.",
        "A side that may steal gains {value} of the credit by it",
    ),
}

CLOCK = {
    "cut_rate": Measure(
        "clock",
        "Games that time ends",
        "rate",
        "The share of games in which a sheet is not full when time is called.",
        "{value} of the games leave a sheet unfinished",
    ),
    "empty_mean": Measure(
        "clock",
        "Categories left empty",
        "categories",
        "How many categories a side leaves empty when time is called.",
        "A side leaves {value} empty",
    ),
}

MEASURES_OF_PLAY: dict[str, Measure] = {**SKILL, **DIVERSITY, **CATEGORIES, **STEALS, **CLOCK}
