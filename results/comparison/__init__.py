"""Strategies held against each other on the same deals: pairs, ratings, possible ranks."""
