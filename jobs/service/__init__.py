"""Looking after runs: what there is below a root, who plays it, what was said, and whether it is whole."""
