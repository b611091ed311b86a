"""A second, slow model of the rules and the comparison of the rulebook with it."""
