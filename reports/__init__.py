"""Statistics, figures and pages: from the tables of a run to its report."""
