"""The pages that say what is there and what is not: the APIs of a Mac, the differences that Conformance knows, and the readings."""

import re
import unittest

from facts import ROOT, annotations, documents, says, tables
from judging import LANGUAGES, SPAN, DocumentTest, files, table, text_of

MAC = "Documentation/Guides/mac-apis"
READINGS = [f"Documentation/Readings/{name}" for name in ("0-nsrunloop", "1-overview", "2-introduction", "3-launch-and-run", "4-core-mechanism", "other-articles")] + ["Documentation/Guides/questions"]
SOURCES = "\n".join(path.read_text() for module in ("SwiftRunLoop", "SwiftRunLoopAsync", "SwiftRunLoopFoundation", "RunLoopDiagnostics") for path in files(f"Sources/{module}", ".swift"))


def is_declared(name):
    """Whether there is a function with that name and these labels or, without labels, a type, property or case of that name."""
    path, bracket, labels = name.partition("(")
    base = re.escape(path.rpartition(".")[2])
    if not bracket:
        return bool(re.search(rf"\b(var|let|case|class|struct|enum|protocol|typealias) `?{base}`?\b", SOURCES))
    start, labels = (r"\binit\??" if base == "init" else rf"\bfunc {base}\b") + r"(?:<[^>]*>)?\(", labels.rstrip(")").split(":")[:-1]
    return bool(re.search(start + "".join(rf"[^{{}}]*?\b{label}\b(?: \w+)?:" for label in labels), SOURCES))


class MacAPIs(DocumentTest):
    """The APIs that the guide lists as present must be declared, and those that it lists as absent must not be."""
    FOUNDATIONS = {"NSWillBecomeMultiThreaded", "NSThreadWillExit", "NSDidBecomeSingleThreaded"}  # Foundation declares them

    def test_what_is_there_is_declared_and_what_is_absent_is_not(self):
        english, chinese = ([row for row in table(annotations.document(MAC, language)) if len(row.cells) == 3 and row.cells[0].startswith("`")] for language in LANGUAGES)
        self.assertGreater(len(english), 40)
        self.assertEqual([row.cells[1] for row in english], [row.cells[1] for row in chinese], "both languages give the same verdicts")
        for row in english:
            (_, verdict, note), names = row.cells, SPAN.findall(row.cells[0])
            absent, present = [], []
            if verdict == "there":
                present = [name for name in names if name not in self.FOUNDATIONS]
            elif verdict == "absent":
                absent = names
            elif verdict == "differs":
                present = re.findall(r"`([\w.]+\([^`]*\))`", note)
            else:
                self.miss(f"what is “{verdict}”?", row.document, row.line)
            if verdict in ("absent", "differs") and not note:
                self.miss("the reason is missing" if verdict == "absent" else "the difference is missing", row.document, row.line)
            for name in present:
                if not is_declared(name):
                    self.miss(f"{name} is not declared", row.document, row.line)
            for name in absent:
                if is_declared(name):
                    self.miss(f"{name} is declared", row.document, row.line)


class Differences(unittest.TestCase):
    """What Documentation/Reference/differences says of Conformance is what its sources say."""

    def rows(self, language, sections):
        return [row for row in table(f"Documentation/Reference/differences{language}.md") if re.match(rf"[{sections}]\.\s", row.headings[-1])]

    def test_every_known_difference_is_in_the_documents(self):
        """The programs avoid no behaviour of the original that section 6 of differences.md does not list, and it lists none that they do not avoid."""
        names = re.findall(r'^    \{"([^"]+)",', text_of("Programs/Conformance/Differences.c"), re.M)
        self.assertGreater(len(names), 10)
        for language in ("", ".zh"):
            rows = self.rows(language, "6")
            told = [row.cells[0] for row in rows]
            for first, last in re.findall(r"\bD(\d+)(?:\s+(?:to|到)\s+D(\d+))?", re.sub(r"[\[\]]", "", rows[0].introduction)):
                told += [f"D{number}" for number in range(int(first), int(last or first) + 1)]
            self.assertEqual(sorted(told), sorted(names), language)

    def test_every_difference_on_purpose_is_shown_on_both_loops_or_says_why_not(self):
        """A case or the scenario on_purpose makes both loops do what differences.md says of each, or the scenario's header comment says why a log cannot."""
        text = text_of("Programs/Conformance/OnPurpose.c")
        shown, excused = set(re.findall(r'onPurpose\("(D\d+)"', text)), set(re.findall(r"^/// (D\d+): \S", text, re.M))
        cases = set(re.findall(r"^# The toolchain's loop differs: (D\d+), log", "".join(text_of(path) for path in files("Programs/Cases", ".txt")), re.M))
        self.assertFalse(shown & excused or shown & cases)
        self.assertGreater(len(shown | cases), len(excused))
        for language in ("", ".zh"):
            rows = {row.cells[0] for row in self.rows(language, "17")}
            self.assertEqual(rows, shown | excused | cases & rows, language)


class Readings(unittest.TestCase):
    """Documentation/Readings, a page for each article, and the guide "Questions"."""

    def test_every_name_that_a_page_links_is_in_its_file(self):
        for path in (annotations.document(page, language) for page in READINGS for language in LANGUAGES):
            for name, file in re.findall(r"\[`(\w+)[^`]*`\]\(\.\./\.\./([\w/.-]+\.(?:c|h|swift))\)", text_of(path)):
                self.assertTrue((ROOT / file).exists() and name in text_of(file), f"{path}: {file} does not have {name}")

    def test_the_played_programs_are_the_examples(self):
        """A program of the small language is one of the examples, so that `play` with its number performs it."""
        for ending in (".md", ".zh.md"):
            examples = text_of("Documentation/Reference/programs" + ending)
            for page in READINGS:
                for program in re.findall(r"\n(```program\n(?:.*\n)*?```)\n", text_of(page + ending)):
                    self.assertIn(program, examples, page)

    def test_the_programs_of_a_chinese_document_are_the_english_ones_and_speak_chinese(self):
        """Program by program; and a row of Facts/says.tsv is what some program says."""
        said = set()
        for path in (ROOT / "Documentation").rglob("*[!h].md"):
            programs = re.findall(r"^```program\n(.*?)^```$", text_of(path.relative_to(ROOT)), re.M | re.S)
            if programs:
                other = path.with_suffix(".zh.md").relative_to(ROOT)
                self.assertEqual([says.chinese(program) for program in programs], re.findall(r"^```program\n(.*?)^```$", text_of(other), re.M | re.S), other)
                said |= {words for program in programs for words in says.SAY.findall(program)}
        self.assertEqual(said, {row["words"] for row in tables.rows("says")})
        self.assertTrue(all(re.search("[\u4e00-\u9fff]", row["words in Chinese"]) for row in tables.rows("says")))


class Door(DocumentTest):
    """What README shows of the list of tests is in that list."""

    def test_the_test_that_readme_shows_is_one(self):
        tests = {f"{name}  {sentence}" for name, sentence, _, _ in annotations.tests()}
        for path in "README.md", "README.zh.md":
            shown = re.findall(r"^[A-Z]\d+_\w+ .*$", (ROOT / path).read_text(encoding="utf-8"), re.M)
            self.assertEqual(len(shown), 1, path)
            self.assertIn(shown[0], tests, path)


if __name__ == "__main__":
    unittest.main()
