"""How balanced rulesets are: measures of a game, verdicts, and what a change of the rules changes."""
