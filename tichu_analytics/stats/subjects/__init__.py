"""The measures that come along, a module a subject, each with a tuple ``MEASURES``."""
