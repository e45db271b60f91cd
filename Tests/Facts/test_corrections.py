"""A correction quotes what it corrects, says what kind of correction it is, for which versions it is true, and what shows it, in both languages; and no claim contradicts it."""

import re
import unittest
from dataclasses import dataclass, replace

from facts import annotations, claims, documents, explain, items as table_of_items, tables
from judging import EXPERIMENTS, LANGUAGES, SPAN, TESTS, DocumentTest, files, items, table, text_of

#: The quoted lines of the articles: the article's number, the line's, and the words around the quotation.
LINES = [line.split("\t", 2) for line in text_of("Tests/Facts/quotations.tsv").splitlines() if line and not line.startswith("#")]


@dataclass
class Correction:
    """A row of the table, and the section that it links to."""
    path: str
    line: int
    number: int
    cells: list
    parts: list

    @property
    def quotations(self):
        """(the article's number, its words)"""
        return [match for part in self.parts if part.kind == "quotation" for match in re.findall(r"(\d): 「([^」]+)」", part.text)]

    @property
    def shown(self):
        return SPAN.findall(self.parts[-1].text)


def corrections(language):
    path = annotations.document(annotations.CORRECTIONS, language)
    sections = [section for section in documents.read(path).sections if re.match("(?:Correction|更正) ", section.heading)]
    return [Correction(path, section.line, number, row.cells, section.parts) for number, (row, section) in enumerate(zip(table(path), sections, strict=True), 1)]


ALL = [correction for language in LANGUAGES for correction in corrections(language)]


class Corrections(DocumentTest):
    def test_they_are_numbered_without_a_gap_and_have_their_parts(self):
        self.assertEqual(len(ALL), 2 * 46)
        for correction in ALL:
            if correction.cells[0] != f"[{correction.number}](#{'更正' if '.zh.' in correction.path else 'correction'}-{correction.number})":
                self.miss(f"the correction {correction.number} belongs here", correction.path, correction.line)
            if not re.fullmatch(rf"\D+ {correction.number}", documents.read(correction.path).text.splitlines()[correction.line - 1]) or len(correction.parts) < 3:
                self.miss(f"not the quotations, what is so, and what shows the correction {correction.number}", correction.path, correction.line)

    def test_each_quotes_its_article(self):
        for correction in ALL:
            if not correction.quotations:
                self.miss(f"the correction {correction.number} quotes no article", correction.path, correction.line)
            for article, words in correction.quotations:
                if not any(line[0] == article and words in line[2] for line in LINES):
                    self.miss(f"article {article} does not say “{words}”", correction.path, correction.line)

    def test_no_line_of_the_articles_is_kept_that_is_not_quoted(self):
        quoted = [quotation for correction in corrections("en") for quotation in correction.quotations]
        for article, number, text in LINES:
            if not any(article == quoting and words in text for quoting, words in quoted):
                self.miss(f"no correction quotes line {number} of article {article}", "Tests/Facts/quotations.tsv", 1)

    def test_each_has_a_badge_and_the_versions_that_it_speaks_of(self):
        for correction in ALL:
            badge, versions, is_chinese = correction.cells[2], correction.cells[3], ".zh." in correction.path
            if badge not in [f"**{word}**" for word in (annotations.BADGES if is_chinese else annotations.BADGES.values())]:
                self.miss(f"“{badge}” is no badge", correction.path, correction.line)
            if versions != ("全部版本" if is_chinese else "all") and "CF-" not in versions:
                self.miss(f"“{versions}” names no version", correction.path, correction.line)

    def test_each_is_shown_by_something(self):
        known = TESTS | EXPERIMENTS | {path.name for path in files("Programs/Conformance/Scenarios", ".c")} | {f"article {id}" for id in table_of_items.rows() if table_of_items.source(id)}
        for correction in ALL:
            if not correction.shown:
                self.miss(f"nothing shows the correction {correction.number}", correction.path, correction.line)
            for name in correction.shown:
                if name not in known:
                    self.miss(f"{name} is no test, no program of an article, no scenario and no experiment", correction.path, correction.line)

    def test_what_experiments_refer_to_is_there(self):
        """Experiments refer to corrections by their numbers."""
        referred = [(path, number) for path in files("Lab", ".swift") for group in re.findall(r"Corrections? ([\d ,andto]+)\s+\\?\s*of", path.read_text()) for number in re.findall(r"\d+", group)]
        self.assertGreater(len(referred), 5)
        for path, number in referred:
            self.assertLessEqual(int(number), len(ALL) // 2, f"{path}: there is no correction {number}")


class Contradictions(unittest.TestCase):
    def test_no_claim_and_correction_contradict_each_other_without_saying_so(self):
        self.assertEqual(list(claims.problems()), [])

    def test_a_contradiction_is_found(self):
        rows, all_corrections = tables.rows("claims"), annotations.corrections("en")
        def claim(id, **cells):
            return [row | cells if row["id"] == id else row for row in rows], all_corrections
        def correction(number, **fields):
            return rows, [replace(each, **fields) if each.number == number else each for each in all_corrections]
        for (changed, complaint) in [
            (claim("S11", verdict="true", corrections=""), "correction 11 (true of an app, not of the loop) names S11, which is “true” and does not name it"),
            (claim("S11", verdict="true"), "S11 is “true”, and yet correction 11 corrects it"),
            (claim("T3", verdict="half true", corrections="", see="8"), "T3 is “half true”, and names no correction that says why"),
            (claim("T3", corrections="8 14"), "T3 names correction 14 (wrong), whose text does not link T3"),
            (claim("L7", verdict="mostly true"), "L7 is “mostly true”: that is no verdict"),
            (claim("S9", verdict="true in CF-635"), "S9 is “true in CF-635”: that is no verdict"),
            (claim("S9", verdict="true in current", corrections="12", see=""), "correction 12 (true of an app, not of the loop) corrects S9, which is “true in current”"),
            (claim("R5", verdict="half true", corrections="99"), "R5 is “half true”, and names a correction that is not there: 99"),
            (claim("D13", verdict="true"), "D13 is a difference, and no claim: it has no verdict"),
            (correction(8, badge="open question"), "correction 8 (open question) corrects T3, which is “half true”"),
            (correction(8, so=["The timer fires late."]), "T3 names correction 8 (wrong), whose text does not link T3"),
            (correction(4, so=["See [R1]."]), "correction 4 (wrong) names R1, which is “true” and does not name it"),
        ]:
            found = list(claims.contradictions(*changed))
            self.assertTrue(any(line.startswith(complaint) for line in found), f"{complaint}: {found}")

    def test_each_place_of_a_claim_has_its_verdict(self):
        """In a document a reader sees the verdict first. A card answers what a reader has asked, and that may be the contrary of the claim: so it says the claim, and the verdict behind
        it, unless that is plainly true."""
        rows, told = {row.cells[0]: row for row in table("ANNOTATIONS.md")}, {row.cells[0]: row for row in items("Documentation/Reference/claims.md")}
        self.assertGreater(len(claims.verdicts()), 60)
        for claim in (row for row in tables.rows("claims") if not row["reason"]):
            id, verdict, row, item = claim["id"], claim["verdict"], rows[claim["id"]], told[claim["id"]]
            card, answer = explain.card(id, "en"), explain.answer(id, "en")
            self.assertTrue(row.cells[1].startswith("true" if verdict == "true" else f"**{verdict}**"), f"ANNOTATIONS.md:{row.line}: {row.cells[1]}")
            self.assertTrue(item.introduction.startswith(f"**{id}**: **{verdict}**"), f"claims.md:{item.line}: {item.introduction[:60]}")
            self.assertTrue(answer.startswith(f"{id}: {re.sub('[*`]', '', claim['claim'])}" + ("." if verdict == "true" else f" ({verdict}).")), answer)
            for number in claim["corrections"].split():
                self.assertIn(f"[{number}]", row.cells[1], id)
                self.assertIn(f"[correction {number}]", item.introduction, id)
                self.assertTrue(any(head == "more" and f"Correction {number}: " in text for head, text in card), id)
                self.assertFalse(any("See correction" in text for _, text in card), f"{id}: a number alone says nothing")
                self.assertIn(("claims", answer), explain.card(f"correction {number}", "en"), f"{id}, {number}")


if __name__ == "__main__":
    unittest.main()
