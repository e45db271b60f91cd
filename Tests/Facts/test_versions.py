"""The rule of facts.versions."""

import unittest

from facts.versions import NAMES, SPEAKS


class Versions(unittest.TestCase):
    def test_a_statement_that_names_a_version_is_told_from_one_that_does_not(self):
        for text in ["In CF-855 the lock spins.", "As on a Mac (all).", "Current's has no field.", "**all:** it wakes", "the Linux build hangs", "true in all versions",
                     "not in any version of it", "the current source has another"]:
            self.assertRegex(text, NAMES)
        for text in ["On a Mac the lock is recursive.", "The current loop is found.", "currentMode", "all of them", "newer Macs show it"]:
            self.assertNotRegex(text, NAMES)
        self.assertRegex("as in the original", SPEAKS)
        self.assertNotRegex("| the original's | here |", SPEAKS)
