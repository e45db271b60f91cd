"""What scripts name."""

import re
import unittest

from facts import ROOT


def classes():
    """Those in Swift, the folders of Tests, and the files in C."""
    found = {folder.name for folder in (ROOT / "Tests").iterdir()} | {path.stem for path in (ROOT / "Tests").rglob("*.c")}
    for path in (ROOT / "Tests").rglob("*.swift"):
        found |= set(re.findall(r"class (\w+)", path.read_text(encoding="utf-8")))
    return found


class ScriptsTests(unittest.TestCase):
    def test_each_class_of_tests_that_a_script_names_is_there(self):
        """A pattern that selects a class that has gone selects nothing, and says nothing."""
        known, named = classes(), 0
        for path in [ROOT / ".ci/run", *sorted(path for path in (ROOT / "Scripts").iterdir() if path.is_file())]:
            for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                for name in re.findall(r"(?<![\w/.-])(?:SwiftTests\W+|LabTests\W+|ToolTests\W+)?([A-Z]\w+Tests)\b(?!\.xctest)", text):
                    named += 1
                    with self.subTest(f"{path.relative_to(ROOT)}:{line}"): self.assertTrue(name in known, f"there is no {name}")
        self.assertGreater(named, 40)


class LinesTests(unittest.TestCase):
    def test_the_lines_of_the_products_fit_their_limits(self):
        """.editorconfig has the limits. The small targets in C beside CRunLoop are wider."""
        limits, read = {"CRunLoop/**/*.[ch]": 100, "**/*.swift": 120}, 0
        for pattern, limit in limits.items():
            for path in sorted((ROOT / "Sources").glob(pattern)):
                for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                    read += 1
                    if len(text) > limit: self.fail(f"{path.relative_to(ROOT)}:{line} has {len(text)} columns, and {limit} at most are allowed")
        self.assertGreater(read, 10000)

    def test_what_ends_a_program_says_why_in_a_release_build(self):
        """On Linux, precondition and its kin say nothing there; require and fatalError do."""
        silent, asked = re.compile(r"\b(precondition|preconditionFailure|assert|assertionFailure)\("), 0
        for path in sorted((ROOT / "Sources").glob("**/*.swift")):
            if path.name == "OnDarwin.swift": continue
            text = path.read_text(encoding="utf-8")
            asked += len(re.findall(r"\brequire\(|\bfatalError\(", text))
            for found in silent.finditer(text):
                self.fail(f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, found.start()) + 1}: {found[1]} has no words in a release build; write require or fatalError")
        self.assertGreater(asked, 20)
