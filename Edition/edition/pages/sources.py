"""The entry of the source pages in the head of every page; source.py writes the pages."""

ORDER = 10
NAVIGATION = [("src/index.html", "navigation.source")]


def build(site):
    """Nothing more to write."""
