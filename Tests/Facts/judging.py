"""What the tests of the documents share: a test that names the lines that must change, and what a text names."""

import re
import unittest

from facts import ROOT, annotations, cards, documents

FILE = re.compile(r"\[([A-Za-z_]+\.(?:c|h|swift))\]")
SPAN = documents.SPAN
LANGUAGES = ("en", "zh")
TESTS = {name for name, *_ in annotations.tests()}
EXPERIMENTS = set(cards.experiments("en"))


class DocumentTest(unittest.TestCase):
    """A test of this kind goes on after a miss, and fails at its end with all of them."""

    def setUp(self):
        self.misses = []

    def miss(self, message, path, line):
        self.misses.append(f"{path}:{line}: {message}")

    def tearDown(self):
        if self.misses:
            self.fail("\n" + "\n".join(self.misses))


def text_of(path):
    return (ROOT / path).read_text(encoding="utf-8")


def files(folder, *endings):
    """The files below a folder, in the order of their paths."""
    return sorted(path for path in (ROOT / folder).rglob("*.*") if path.suffix in endings)


def identifiers(text):
    """The words in it that could be names in C or Swift."""
    return [word for word in re.findall(r"\w+", text, re.A) if not word[0].isdigit()]


def spans(path):
    """The names in code of a document, each with its line, outside of code."""
    return [(number, name) for number, line in documents.read(path).prose() for name in SPAN.findall(line)]


def table(path):
    return [row for row in documents.read(path).rows() if not row.is_item]


def items(path):
    return [row for row in documents.read(path).rows() if row.is_item]
