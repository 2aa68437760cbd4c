"""A contract as a page to read: Markdown and HTML."""
