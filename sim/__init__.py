"""Rules and dice: pure functions and arrays, without files (but rulesets), clock or Ray."""
