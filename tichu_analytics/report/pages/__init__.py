"""The parts of the page of a report: template and style."""
