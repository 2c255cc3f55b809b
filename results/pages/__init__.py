"""Pages to read and hand on: charts, sections, HTML, Markdown, and the report of a run."""
