"""STRATEGIES, the registry: every shipped strategy of either game by its name. A new one is one line here."""

from __future__ import annotations

#: name -> "module:class"; modules are imported when a strategy is asked for.
STRATEGIES: dict[str, str] = {
    "random": "strategies.random:Random",
    "greedy": "strategies.greedy:Greedy",
    "sets": "strategies.sets:Sets",
    "upper-first": "strategies.upper_first:UpperFirst",
    "bank-low": "strategies.bank_low:BankLow",
    "nets": "strategies.nets:Nets",
    "commit": "strategies.commit:Commit",
    "split": "strategies.split:Split",
    "par": "strategies.par:Par",
    "brisk": "strategies.brisk:Brisk",
    "optimal": "strategies.optimal:Optimal",
    "lookahead": "strategies.lookahead_play:Lookahead",
    "win": "strategies.win:Win",
    "tip-low": "strategies.tip_low:TipLow",
    "tip-bonus": "strategies.tip_bonus:TipBonus",
    "tip-nets": "strategies.tip_nets:TipNets",
    "tip-commit": "strategies.tip_commit:TipCommit",
    "tip-rival": "strategies.tip_rival:TipRival",
    "flat": "strategies.flat:Flat",
    "timid": "strategies.timid:Timid",
    "bold": "strategies.bold:Bold",
    "martingale": "strategies.martingale:Martingale",
    "paroli": "strategies.paroli:Paroli",
    "fraction": "strategies.fraction:Fraction",
    "protect-lead": "strategies.protect_lead:ProtectLead",
    "catch-up": "strategies.catch_up:CatchUp",
}
