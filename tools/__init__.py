"""What builds the site of the guides: hooks for MkDocs and an extension for griffe. Nothing of it is installed."""
