"""Cee-lo: three dice, chips, and either a bank to bet against or a pot to throw for."""
