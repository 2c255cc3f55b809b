"""Decisions: the strategies that sit at the table, and the registry that names them."""

from strategies.bettor import Bettor, Table
from strategies.strategy import Category, Offer, Plan, Sheet, Strategy, StrategyError

__all__ = ["Bettor", "Category", "Offer", "Plan", "Sheet", "Strategy", "StrategyError", "Table"]
