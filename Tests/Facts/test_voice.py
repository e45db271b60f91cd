"""The rule of facts.voice."""

import unittest
from unittest import mock

from facts import voice


class Voice(unittest.TestCase):
    def faults_of(self, text, path="README.md"):
        with mock.patch.object(voice, "texts", lambda: [(path, 1, text)]):
            return [why for *_, why in voice.faults()]

    def test_documents_and_the_doc_comments_of_the_products_are_read(self):
        paths = {path for path, *_ in voice.texts()}
        self.assertLessEqual({"README.md", "Sources/SwiftRunLoop/RunLoop.swift", "Sources/RunLoopDiagnostics/StallWatch.swift", "Sources/CRunLoop/include/CoreFoundation/CFRunLoop.h"}, paths)

    def test_a_sentence_is_what_stands_between_two_points(self):
        self.assertEqual(voice.sentences("It wakes ([D3](README.md#d3)). `CFRunLoopStop` stops it: see 9.2. The end."), ["It wakes (D3).", "CODE stops it: see 9.2.", "The end."])

    def test_long_sentences_and_many_colons_are_found(self):
        self.assertEqual(self.faults_of("Word " * 40 + "end."), ["41 words"])
        self.assertEqual(self.faults_of("Word " * 39 + "end. " + "Word " * 39 + "end."), [])
        self.assertEqual(self.faults_of("A: b; c; d."), ["3 colons and semicolons"])
        self.assertEqual(self.faults_of("A: b; c, d."), [])

    def test_phrases_without_a_referent_are_found(self):
        self.assertEqual(self.faults_of("B changes it before the look."), ["“the look”"])
        self.assertEqual(self.faults_of("The record of the run around."), ["“run around”"])
        self.assertEqual(self.faults_of("The loop runs around the clock."), [])
        self.assertEqual(self.faults_of("程序留着它，不等于留着它们。", "README.zh.md"), ["“不等于留着”"])
        self.assertEqual(self.faults_of("客户端连上来了。", "README.zh.md"), [])

    def test_the_list_of_exceptions_is_no_longer_than_it_may_be(self):
        self.assertLessEqual(len(voice.tables.rows("voice")), voice.MOST)


if __name__ == "__main__":
    unittest.main()
