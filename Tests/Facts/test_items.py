"""Facts/items.tsv: what the articles say and whether it is true; and where a reader meets it."""

import re
import unittest

from facts import ROOT, annotations, cards, documents, items, tables
from judging import EXPERIMENTS, LANGUAGES, DocumentTest, files, text_of

PATH = "Facts/items.tsv"
LINES = {line.partition("\t")[0]: number for number, line in enumerate(text_of(PATH).splitlines(), 1)}
ROWS = items.rows()
HAN = re.compile("[\u4e00-\u9fff]")
QUOTED = re.compile("〈[^〉]*〉|断点\\d|检测到卡顿,主线程堆栈信息:")  # the articles' words
TEXTS = ("program", "says", "true")
ORDER = ["false", "half true", "true", "answered"]  # of statements
READINGS = ["0-nsrunloop", "1-overview", "2-introduction", "3-launch-and-run", "4-core-mechanism"]


class Items(DocumentTest):
    def complain(self, id, message):
        self.miss(f"{id}: {message}", PATH, LINES[id])

    def test_each_is_numbered_without_a_gap_and_has_its_words(self):
        self.assertEqual(len(ROWS), 165)
        counts = dict.fromkeys("01234", 0)
        for id, row in ROWS.items():
            counts[id[0]] += 1
            if id != f"{id[0]}.{counts[id[0]]}":
                self.complain(id, f"{id[0]}.{counts[id[0]]} belongs here")
            if not row["says"] or not row["kinds"] or set(row["kinds"]) - set("LDPSFXTQ"):
                self.complain(id, "what the article says, or what kind of item it is, is missing")
            for column in TEXTS:
                english, chinese = tables.pair(row, column).values()
                if bool(english) != bool(chinese) or english and not HAN.search(chinese):
                    self.complain(id, f"“{column}” is not in Chinese")
                if HAN.search(QUOTED.sub("", english)):
                    self.complain(id, f"“{column}” is not in English: {english}")

    def test_each_has_its_place(self):
        for id, row in ROWS.items():
            place, program = row["place"], items.program(id)
            is_there = {"experiment": items.experiment(id) in EXPERIMENTS, "document": (ROOT / place.partition(" ")[2].partition("#")[0]).exists(), "cannot": place == "cannot be" and bool(row["true"])}
            if not is_there.get(place.split()[0], program in items.programs()):
                self.complain(id, f"there is no {place}")
            if (place == "program") != bool(row["program"]):
                self.complain(id, "says what its program does, if it has one of its own")
        self.assertEqual(list(items.programs()), [id for id, row in ROWS.items() if row["place"] == "program"])

    def test_each_has_a_verdict_and_a_reason_for_one_that_is_not_plain(self):
        for id, row in ROWS.items():
            if row["verdict"] not in (["", *ORDER] if row["statements"] else [""] if row["place"] == "cannot be" else ORDER):
                self.complain(id, f"“{row['verdict']}” is no verdict")
            if items.verdict(id) != "true" and not items.truth(id, "en"):
                self.complain(id, "nothing says what is true")

    def test_each_statement_has_its_verdict(self):
        """Of an item that says several things. What is false comes first, and not all of them have the same verdict."""
        self.assertGreater(sum(bool(row["statements"]) for row in ROWS.values()), 30)
        for id, row in ROWS.items():
            if not row["statements"]:
                continue
            told, parts = items.statements(id, "en"), [row[column].split(" ¦ ") for column in ("statements", "statements in Chinese")]
            ranks = [ORDER.index(word) for word, _ in told if word in ORDER]
            if len(ranks) < len(told) or ranks != sorted(ranks) or len(set(ranks)) < 2:
                self.complain(id, f"each with its verdict, what is false first, and not all with one: {row['statements']}")
            if len(parts[0]) != len(parts[1]) or any(HAN.search(part) for part in parts[0]) or not all(HAN.search(part) for part in parts[1]):
                self.complain(id, "its statements are not the same in Chinese")
            if row["place"] == "program" and row["verdict"] == "false" and told[0][0] != "false":
                self.complain(id, "its program shows that something is false, and no statement is")

    def test_each_verdict_fits_the_corrections(self):
        """A sentence that a correction calls wrong is in no item whose verdict is milder, and a question is answered, not graded. Each correction leads to an item of the first article that
        it quotes."""
        found = {each.number: each for each in annotations.corrections("en")}
        by_itself = {"4.9"}  # its code has faults that no correction is about: it does not compile
        for id, row in ROWS.items():
            badges = {found[int(number)].badge if int(number) in found else "no correction" for number in row["corrections"].split()}
            verdicts = {word for word, _ in items.statements(id, "en")} or {row["verdict"]}
            fitting = {"wrong": {"false"}, "open question": {"answered"}}.get(next((badge for badge in ("wrong", "open question") if badge in badges), ""), {"half true"} if badges == {"simplified"} else {"half true", "false"})
            if "no correction" in badges or badges and not (fitting & verdicts or badges == {"simplified"} and id in by_itself):
                self.complain(id, f"{verdicts} does not fit {badges}")
        for number, correction in found.items():
            quoted, corrected = {article for article, _ in correction.quotations}, {id[0] for id, row in ROWS.items() if str(number) in row["corrections"].split()}
            if not quoted & corrected:
                self.miss(f"correction {number} quotes {quoted}, and is in items of {corrected}", PATH, 1)

    def test_each_text_refers_to_items_and_corrections_that_are_there(self):
        """They are the same in both languages, and a correction is one of the item's."""
        for id, row in ROWS.items():
            for column in ("says", "true"):
                ids = [set(items.IDS.findall(text)) for text in tables.pair(row, column).values()]
                if ids[0] != ids[1] or ids[0] - ROWS.keys():
                    self.complain(id, f"“{column}” names {ids}")
                for number in re.findall(r"(?:Corrections?|更正) ?(\d+)", " ".join(tables.pair(row, column).values())):
                    if number not in row["corrections"].split():
                        self.complain(id, f"“{column}” names correction {number}, which is not its own")

    def test_each_example_and_each_stack_is_there(self):
        """A stack at a break point is that of a program which stops there."""
        examples = text_of("Documentation/Reference/programs.md")
        for id, row in ROWS.items():
            if row["example"] and f"\n### {row['example']}. " not in examples:
                self.complain(id, f"there is no example {row['example']}")
            if row["break point"] and ("S" not in row["kinds"] or f'breakPoint("{row["break point"]}")' not in text_of(items.source(id))):
                self.complain(id, f"its program has no {row['break point']}")
        self.assertEqual([id for id, row in ROWS.items() if row["break point"]], ["0.17", "0.18", "0.27"])

    def test_the_first_line_of_a_program_names_its_heading_and_its_items(self):
        for id, path in items.programs().items():
            line = text_of(path).partition("\n")[0]
            for part in (f"Article {id[0]}", f"〈{ROWS[id]['heading']}〉", *(other for other in items.shown(id) if other[0] == id[0])):
                if not re.search(rf"{re.escape(part)}(?!\d)", line):
                    self.miss(f"names no {part}", path, 1)

    def test_the_number_of_scenarios_is_the_same_everywhere(self):
        count = len(files("Programs/Conformance/Scenarios", ".c"))
        self.assertGreater(count, 10)
        texts = {f"{PATH}: 2.26, {language}": text for language, text in tables.pair(ROWS["2.26"], "true").items()}
        texts |= {path: text_of(path) for page in ("README", "Documentation/Explanation/proof") for path in (annotations.document(page, language) for language in LANGUAGES)}
        for path, text in texts.items():
            self.assertIn(count, [int(number) for number in re.findall(r"(\d+) (?:programs|个程序)", text)], path)


class Readings(DocumentTest):
    def test_each_reading_has_every_item_of_its_article(self):
        """A section that is about items of the article names their headings and their numbers below its own heading. Its verdict is that of one of them."""
        for path, language in ((annotations.document(f"Documentation/Readings/{page}", language), language) for page in READINGS for language in LANGUAGES):
            found, end = [], "" if language == "en" else " in Chinese"
            for section in documents.read(path).sections:
                lines = section.parts[0].text if section.parts else ""
                if section.level != 2 or not lines.startswith("〈"):
                    continue
                ids = [id for id in re.findall(r"\b\d\.\d+$|\b\d\.\d+(?=, |、)", lines) if id in ROWS]
                for heading in set(re.findall("〈(.+?)〉", lines)) - {ROWS[id]["heading"] for id in ids}:
                    self.miss(f"none of its items has the heading {heading}", path, section.line)
                verdicts = {tables.verdicts("item")[items.verdict(id)]["sentence" + end] for id in ids if items.verdict(id)}
                given = re.findall(r"^\*\*(.+?)\*\*", "\n".join(part.text for part in section.parts), re.M)
                if not (len(given) == 1 and given[0] in verdicts or not given and not verdicts):
                    self.miss(f"{given} is not of {verdicts}", path, section.line)
                found += ids
            self.assertEqual(sorted(found), sorted(id for id in ROWS if id[0] == path.rpartition("/")[2][0]), path)


if __name__ == "__main__":
    unittest.main()
