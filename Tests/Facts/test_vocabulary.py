"""The activities, the results of a run and the kinds of callout have their names once: in CFRunLoop.h, and in the column callout of names.tsv. Python and the edition read them there. What
cannot read them, because it is C without the library, a product or a reader's own file, has the same; and nothing else has a list of its own."""

import re
import unittest

from facts import ROOT, tables
from judging import DocumentTest, files, text_of

ACTIVITIES, RESULTS = tables.ACTIVITIES, tables.RESULTS
PROGRAM, OBSERVER = "Programs/CRunLoopModel/LoopProgram.c", "Sources/SwiftRunLoop/Observer.swift"


def words_of(enumerators):
    """What `{ first = 1, second }` enumerates, by its values."""
    found, value = {}, -1
    for name, number in re.findall(r"(\w+)(?: = (\d+))?", enumerators):
        value = int(number) if number else value + 1
        found[value] = name
    return found


def inner(names):
    """As a constant of C or a case of Swift is spelled: beforeTimers."""
    return {value: name[:1].lower() + name[1:] for value, name in names.items()}


class Vocabulary(DocumentTest):
    def test_the_header_has_six_activities_and_four_results(self):
        self.assertEqual((list(ACTIVITIES), list(RESULTS)), ([1, 2, 4, 32, 64, 128], [1, 2, 3, 4]))
        self.assertEqual(list(tables.STEP_OF_ACTIVITY.values()), ["1", "2", "3", "6", "8", "10"])

    def test_the_language_of_programs_has_the_names_of_the_header(self):
        text = text_of(PROGRAM)
        named = {int(bit): name for name, bit in re.findall(r'\{"(\w+)", (\d+)\}', text)}
        self.assertEqual(named, ACTIVITIES)
        self.assertEqual(re.search(r'names\[\] = \{"0", (.*?)\}', text)[1], ", ".join(f'"{name}"' for name in RESULTS.values()))
        ends = words_of(re.search(r"enum \{ goesOn, (.*?) \}", text_of("Programs/CRunLoopModel/Model.c"))[0][6:])
        self.assertEqual({value: name for value, name in ends.items() if value}, inner(RESULTS))

    def test_the_readers_own_loop_has_the_names_of_the_header(self):
        found = [words_of(each) for each in re.findall(r"^enum \{(.*?)\};", text_of("Programs/YourLoop/YourLoop.h"), re.M)]
        self.assertIn(inner(ACTIVITIES) | {128: "exiting"}, found)  # exit is a function of C
        self.assertIn(inner(RESULTS), found)

    def test_swift_has_the_names_of_the_header(self):
        self.assertEqual(dict(re.findall(r'\(\.(\w+), "(\w+)"\)', text_of(OBSERVER))), dict(zip(inner(ACTIVITIES).values(), ACTIVITIES.values())))
        cases = dict(re.findall(r"case \.(\w+): \"(\w+)\"", text_of("Sources/SwiftRunLoop/RunLoop.swift")))
        self.assertEqual([name for name in cases if name in inner(RESULTS).values()], list(inner(RESULTS).values()))

    def test_the_lab_has_the_callouts_of_the_table(self):
        lab = text_of("Lab/Common/Callout.swift")
        cases = {name: word or name for line in re.findall(r"^    case (.*)", lab, re.M) if not line.startswith(".") for name, word in re.findall(r'(\w+)(?: = "([^"]+)")?', line)}
        steps = dict(re.findall(r'case \.(\w+): "([\d.]+)"', lab))
        table = {function.callout.replace("-", " "): function.step for function in tables.callouts().values()}
        self.assertEqual({word.lower(): steps.get(name) for name, word in cases.items()}, {word: step if re.fullmatch(r"[\d.]+", step or "") else None for word, step in table.items()})

    def test_no_other_file_has_a_list_of_them(self):
        """What programs of the lab expect of a record is no list of names, nor are the cases of a switch."""
        for folder in ("Sources", "Programs", "Lab", "Edition/edition", "Facts/facts", "Debugging", "Scripts", "Bench"):
            for path in files(folder, ".swift", ".c", ".h", ".py", ".js", ".html"):
                name = path.relative_to(ROOT).as_posix()
                if name in (PROGRAM, OBSERVER) or name.startswith(("Lab/Articles/", "Lab/Experiments/", "Edition/edition/check/")):
                    continue
                lines = path.read_text(encoding="utf-8").splitlines()
                for number in range(len(lines)):
                    words = set(re.findall(r"[\"'](\w+)[\"']", "\n".join(line for line in lines[number:number + 6] if not line.lstrip().startswith("case "))))
                    if any(len(words & {*names.values()}) > 3 for names in (ACTIVITIES, RESULTS)):
                        self.miss("the names of activities or results stand in CFRunLoop.h: tables.ACTIVITIES, loopActivityName and loopResultName read them", name, number + 1)
                        break


if __name__ == "__main__":
    unittest.main()
