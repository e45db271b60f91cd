"""A fact is written once: what a table of Facts says stands in no other table, and in no program."""

import re
import unittest

from facts import ROOT, tables
from judging import DocumentTest, files, text_of

#: The columns with sentences, in English.
COLUMNS = {"claims": ["claim", "here"], "items": ["program", "says", "true", "statements"], "map": ["what"], "notes": ["note"], "steps": ["words", "sentence", "more"], "verdicts": ["sentence"]}
SHORT = 30  # characters: what two may say by chance


def sentences():
    """(the table, its line, the sentence)"""
    for name, columns in COLUMNS.items():
        numbers = [number for number, line in enumerate(text_of(f"Facts/{name}.tsv").splitlines(), 1) if not re.match("#( |$)", line)][1:]
        for number, row in zip(numbers, tables.rows(name), strict=True):
            for column in columns:
                for text in filter(None, re.split(" ¦ ", row[column])):
                    yield name, number, text


class Twice(DocumentTest):
    def test_no_sentence_stands_in_two_rows_or_in_a_program(self):
        found, seen = list(sentences()), {}
        self.assertGreater(len(found), 700)
        sources = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for folder in ("Lab", "Programs", "Edition/edition", "Facts/facts", "Debugging") for path in files(folder, ".swift", ".c", ".h", ".py", ".js", ".html")
                   if path.parent.name != "check"}  # what the edition's check expects
        for name, number, text in found:
            if len(text) < SHORT:
                continue
            if text in seen and (name, seen[text].partition(":")[0]) != ("items", "Facts/items.tsv"):  # two articles may say the same
                self.miss(f"“{text}” is in {seen[text]}, too", f"Facts/{name}.tsv", number)
            seen[text] = f"Facts/{name}.tsv:{number}"
            for path, source in sources.items():
                if text in source:
                    self.miss(f"“{text}” is in Facts/{name}.tsv:{number}, too", path, source[:source.index(text)].count("\n") + 1)


if __name__ == "__main__":
    unittest.main()
