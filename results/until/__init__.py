"""Questions that end a match when they are answered, and intervals that hold at every look."""
