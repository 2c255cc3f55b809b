"""Runs dicecup as `python -m jobs`, where its script isn't on the path."""

from jobs.cli import main

main()
