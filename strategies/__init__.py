"""Decisions: the strategies that sit at the table, and the registry that names them."""

from strategies.strategy import Category, Offer, Plan, Sheet, Strategy, StrategyError

__all__ = ["Category", "Offer", "Plan", "Sheet", "Strategy", "StrategyError"]
