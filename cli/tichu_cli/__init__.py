"""The command line of tichu_analytics: one module for each verb of the command ``tichu``."""
