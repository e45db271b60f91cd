"""The tables of Facts: one fact in one place, in English and Chinese.

  steps.tsv      the ten steps: their numbers in articles 3 and 4, a few words (pictures), a sentence (debugger commands, stacks, the page Play), and
                 what the list of one pass says beyond the sentence
  items.tsv      the items of the articles: what they say, whether it is true, and the program that shows it. RunLoopLab reads it, too: items.py
  verdicts.tsv   the words of a verdict on a claim, an item or a name, and of a correction
  names.tsv      what names are: of the articles, of Apple's systems, of the library. Its first lines explain the columns
  versions.tsv   the names of the original, and which versions have them
  map.tsv        the names of the loop: verdict, step, claims; notes.tsv says more of those that are the same here. ANNOTATIONS lists them: named.py
  claims.tsv     the claims of the articles; ANNOTATIONS 3.1 and the experiments that show them are made from it. "Here" of a claim is what its card says
                 beyond it: how, and why. claims.py says what its verdict is
  says.tsv       what the programs of the documents say: says.py
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from . import ROOT, definitions

DATA = ROOT / "Facts"
API = ROOT / "Documentation/Reference/api.zh"
ID = r"[RSLITOXAD]\d{1,2}"  # of a claim or, with D, of a difference


@lru_cache(None)
def rows(name):
    """The rows of a table: the cells by the names of the columns."""
    lines = [line for line in (DATA / f"{name}.tsv").read_text(encoding="utf-8").splitlines() if not re.match("#( |$)", line)]
    heads = lines[0].split("\t")
    return [dict.fromkeys(heads, "") | dict(zip(heads, line.split("\t"))) for line in lines[1:]]


class Step:
    def __init__(self, row):
        self.number, self.words, self.sentence, self.more = row["step"], *(pair(row, column) for column in ("words", "sentence", "more"))
        self.in_articles = row["article 3"], row["article 4"]

    def capital(self, language):
        """The sentence, with a capital letter and without a point."""
        return self.sentence[language][:1].upper() + self.sentence[language][1:]

    def whole(self, language):
        """All that the table says, in a line."""
        return self.capital(language) + self.more[language]


def verdicts(of):
    """The rows of the verdicts of a kind, by their words."""
    return {row["verdict"]: row for row in rows("verdicts") if row["of"] == of}


def pair(row, column):
    return {"en": row[column], "zh": row[column + " in Chinese"]}


@lru_cache(None)
def steps():
    """The steps by their numbers, in their order."""
    return {row["step"]: Step(row) for row in rows("steps")}


#: The activities by their bits, and the results of a run by their numbers: without kCFRunLoop and kCFRunLoopRun, from the header.
HEADER = (ROOT / "Sources/CRunLoop/include/CoreFoundation/CFRunLoop.h").read_text(encoding="utf-8")
ACTIVITIES = {1 << int(bit): name for name, bit in re.findall(r"^    kCFRunLoop(\w+) = \(1UL << (\d)\)", HEADER, re.M)}
RESULTS = {int(number): name for name, number in re.findall(r"^    kCFRunLoopRun(\w+) = (\d)", HEADER, re.M)}
#: The steps in which observers of an activity are notified, by its bit: whose words in steps.tsv name it.
STEP_OF_ACTIVITY = {bit: next(number for number, step in steps().items() if name in re.findall(r"\w+", step.words["en"])) for bit, name in ACTIVITIES.items()}
MARKER = re.compile(r"^\s*// (\d+(?:\.\d)?)\.? [A-Z]")


def step_markers(lines):
    """(line, step) for each comment in CFRunLoop.c that has the number of a step, such as `// 7. It sleeps`."""
    return [(number, match[1]) for number, line in enumerate(lines, 1) if (match := MARKER.match(line)) and match[1] in steps()]


class Function:
    def __init__(self, name, of="loop", step="", callout="", english="", chinese="", mode="", waits=("", "")):
        self.name, self.of, self.step, self.callout = name, of, step or None, callout  # a callout's sentence is what it calls; the word is that of rl-next
        self.mode, self._waits = mode, waits
        self._english, self._chinese = english, chinese

    def sentence(self, language):
        """What the function does; without the row or the comment for it, nothing."""
        if language == "en":
            return self._english or internal_names().get(self.name, {}).get("en") or plain(definitions.sentence_of(self.name))
        return self._chinese or plain(definitions.first_sentence(chinese_comments().get(self.name, "")))

    def waits_for(self, language):
        """What a thread waits for that is in this function; empty if it need not wait."""
        return self._waits[language == "zh"]


@dataclass(frozen=True)
class Original:
    """What a name is in the original, and the versions that have it. The Linux build has what the current source has for Linux, as one with the Swift runtime."""
    kind: str
    versions: tuple
    remark: str  # on which systems

    def is_field_of(self, owner):
        return self.kind.split()[:3] == ["field", "of", owner]

    @property
    def is_field(self):
        return self.kind.startswith("field of ")


SOURCES = ("CF-855", "CF-1153", "current")


@lru_cache(None)
def originals():
    """The original's names, each with what it is there."""
    found = {}
    for row in rows("versions"):
        versions, remark = [version for version in SOURCES if row[version].startswith("y")], row["current"].partition(" ")[2]
        if "current" in versions and (" only" not in f" {remark}" or "Linux" in remark or "Swift runtime" in remark):
            versions.append("Linux build")
        found.setdefault(row["name"], []).append(Original(row["kind"], tuple(versions), remark))
    return found


def is_ours(symbol):
    """Whether a definition, in the run loop's own files, has a name that the original has not; a field, that its struct has not there."""
    if not re.match(definitions.LIBRARY + r"/(?:Kernel/CFPort|CFRunLoop)", symbol.path) or symbol.kind in ("prototype", "externvar") or symbol.kind == "macro" and not symbol.name.startswith("CF"):
        return False
    return not any(entry.is_field_of(symbol.scope) if symbol.kind == "member" else not entry.is_field for entry in originals().get(symbol.name, []))


@lru_cache(None)
def stand_ins():
    """What stands here for a name of the articles that this project has not, in both languages."""
    return {row["name"]: pair(row, "here") for row in rows("names") if row["here"]}


def plain(text):
    return text.replace("`", "").replace("\n", " ")


@lru_cache(None)
def functions():
    """The functions that stand in stacks, by their names."""
    found = {}
    for row in rows("names"):
        if row["of"]:
            words = pair(row, "in a stack" if row["articles"] else "sentence")
            found[row["name"]] = Function(row["name"], row["of"], row["step"], row["callout"], words["en"], words["zh"], row["mode"], tuple(pair(row, "waits for").values()))
    return found


@lru_cache(None)
def article_names():
    """The rows of the articles' names, by these."""
    return {row["name"]: row for row in rows("names") if row["articles"]}


def callouts():
    """The six callouts by their names."""
    return {name: function for name, function in functions().items() if function.callout}


def function(name):
    """What is known of a function; of one that the tables do not know, nothing."""
    return functions().get(name) or Function(name, "loop" if name in chinese_comments() else "")


@lru_cache(None)
def chinese_comments():
    """The first paragraphs of the Chinese doc comments of C names and of Swift types, by these names: Documentation/Reference/api.zh, and names.tsv."""
    found = {}
    for path in [*sorted((API / "C").glob("*.md")), *sorted((API / "Swift").glob("*.md"))]:
        for match in re.finditer(r"^## (\S+) <!-- \w+ -->\n((?:(?!## ).*\n?)*)", path.read_text(encoding="utf-8"), re.M):
            if path.parent.name == "C" or match[1] == path.stem:
                found.setdefault(match[1] if path.parent.name == "C" else match[1].rpartition(".")[2], match[2].strip().split("\n\n")[0].replace("\n", ""))
                for name, text in re.findall(r"^- `(k?CF\w+)`：(.*)", match[2], re.M):  # the constants of an enumeration
                    found.setdefault(name, text)
    return {name: row["zh"] for name, row in internal_names().items()} | found


@lru_cache(None)
def internal_names():
    """What names are that no public doc comment explains, in both languages. In English, many have a comment in the sources instead."""
    return {row["name"]: pair(row, "sentence") for row in rows("names") if not row["articles"] and not row["of"] and not row["here"]}


def is_explained(name):
    """Whether something says what a name of the library is: a table, its doc comment, the comment of a type, a constant or a macro, or that of its enumeration.
    Of a name of which nothing is said, such as a header's guard, there is no card: what it is can be read at its definition."""
    return bool(about(name, "en") or definitions.remark_of(name) or definitions.remark_of(definitions.enumeration_of(name)))


def about(name, language):
    """What a name is, in a sentence: of a function in the table of functions, or the first one of a doc comment. In Chinese, some names have none."""
    return function(name).sentence(language)
