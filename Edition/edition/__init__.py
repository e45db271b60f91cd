"""The reading edition: a static site, generated from the sources, ANNOTATIONS and tests.

`Scripts/reading-edition` runs it. Start reading in __main__.py (the commands) and site.py (what a page has to call).
"""
