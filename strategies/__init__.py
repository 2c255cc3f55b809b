"""Decisions: the strategies that sit at the table, and the registry that names them."""

from strategies.strategy import Category, Plan, Sheet, Strategy, StrategyError

__all__ = ["Category", "Plan", "Sheet", "Strategy", "StrategyError"]
