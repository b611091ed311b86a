"""Figures and pages that show a collection of games."""
