"""The index: Documentation/Data/index.tsv, which Scripts/index makes of the tables and documents. RunLoopLab explain, rl-explain and the search of the reading
edition look up there by one rule. It is here, in Lab/Commands/Explain/Index.swift, and in Edition/edition/static/index.js.

Its lines are sorted, byte by byte. Each begins with what is looked up, and a tab:

    KEY      a folded name or word: the cards that have it, and #CONCEPT, if it says something in a longer text. `Index.cells` gives the same without a line: the
             card whose folded name is the key, and #KEY, if that has a line; names that begin with one of PREFIXES or end in Ref, which readers leave out; and the concept of
             a word for its forms
    #CONCEPT what words of one meaning share: how rare they are, and CARD~NUMBER:WEIGHT … for the texts that have such a word. A text is what the card itself says, or
             what readers ask
    =KEY     the card with that folded name: its name, and the cells of COLUMNS. If several cards have it, all but one stand behind = and the name as it is
"""

import re
from collections import Counter, defaultdict
from functools import lru_cache

from . import tables

PATH = tables.DATA / "index.tsv"
COLUMNS = ["sentence", "sentence in Chinese", "more", "more in Chinese", "here", "original", "original in Chinese", "versions", "verdict", "step", "articles", "claims", "tests", "programs"]
TOKEN = re.compile(r"[a-z0-9](?:[a-z0-9_]*[a-z0-9])?|[\u4e00-\u9fff]")
CODE = re.compile(r"[][(){};=_:.@*&<>+/-]|^\S+$")
ASSIGNMENT = re.compile(r"[^=!<>()[{\"]+= *((?:\[|(?:\([A-Za-z0-9_]+\) *)?[A-Za-z0-9_]+\(|k[A-Z]).*)")
FRAME = re.compile(r"^\d+\s+\S+\s+0x[0-9a-fA-F]+\s+")
BRACKET = re.compile(r"[][(){};=]")
COMMENT = re.compile(r"(^|[^:])//.*|/\*.*?\*/")
IDENTIFIER = re.compile(r"(?:[A-Za-z_][A-Za-z0-9_]*:)+|[A-Za-z_][A-Za-z0-9_]*")
SPELLED = re.compile(r"_|[a-z][A-Z]|[A-Z]{2}[a-z]")
CONTROL = ("if", "else", "while", "do", "for", "switch", "return")  # words that call nothing
QUESTION = "#?"
LONGEST, WORDS = 30, 8  # tokens of a key, and of one that has a concept
KEY = re.compile(r"=?([a-z0-9_:\u4e00-\u9fff]+)")
SHORTEST = 4  # letters of a key that may lack a prefix
PREFIXES = ("kcfrunloop", "kcf", "cfrunloop", "cf", "ns", "ui")
ENDINGS = ("s", "es", "ed", "ing", ":")  # of a word's forms
NAME = 900  # what a name in a text counts
KINDS = {"correction": "更正", "experiment": "实验"}  # in Chinese
FEW = 12  # cells, at most, of the concept of a name that a reader asks for
MANY = 120  # the same, of a name that is shown although other cards say more


def tokens(text):
    """The words and the Chinese characters of a text, in lower case and without underscores at their ends. With each word: how many brackets are open; = and ; open one, too.
    A word of a selector keeps its colon."""
    text, depth, end = text.lower(), 0, 0
    for match in TOKEN.finditer(text):
        depth += sum((mark in "([{=;") - (mark in ")]}") for mark in text[end:match.start()])
        end = match.end()
        has_colon = text[end:end + 1] == ":" != text[end + 1:end + 2] and match[0][0].isalpha() and match[0].isascii()
        yield match[0] + ":" * has_colon, depth


def code(text):
    """A text without what stands around code: comments that follow more than a brace or a word as do, ; at the ends, the number, image and address before a frame, the : after it, and the brackets of a pointer to a
    function or to a block."""
    text = re.sub(r"(`\w+):$", r"\1", FRAME.sub("", text))
    bare = COMMENT.sub(lambda match: match[1] or "", text).strip("; ")
    return re.sub(r"\([*^]([A-Za-z0-9_]+)\)", r"\1", bare if {word for word, _ in tokens(bare)} - {*CONTROL} else text.strip("; "))


def fold(text):
    """The key of a name or of words: no case, spaces, punctuation, or underscores at the ends of words."""
    return "".join(word for word, _ in tokens(text))


class Index:
    def __init__(self, text):
        self.lines = {(cells := line.split("\t"))[0]: cells[1:] for line in text.splitlines()}

    def row(self, name):
        """The line of a card: its name and the cells of the columns; empty if there is no such card."""
        return next((row for key in (fold(name), name) if (row := self.lines.get("=" + key, [])) and row[0] == name), [])

    def card(self, name):
        """What the index says of a card, by the names of the columns."""
        return dict(zip(COLUMNS, self.row(name)[1:]))

    def card_names(self):
        """The names of all cards."""
        return [row[0] for key, row in self.lines.items() if key[0] == "="]

    def own(self, key):
        """The cells of a key's own line, or the card and the concept of that name."""
        return self.lines.get(key) or self.lines.get("=" + key, [])[:1] + ["#" + key] * ("#" + key in self.lines)

    def cells(self, key):
        """The cells of a key; without a line, the cards of names that begin or end as readers leave out, and the concept of the word that the key is a form of."""
        if found := self.own(key):
            return found
        if not key.isascii() or len(key) < SHORTEST:
            return []
        cards = [cell for start in ("", *PREFIXES) for end in ("", "ref", ":") for cell in self.own(start + key + end) if cell[0] != "#"]
        return cards + (self.meaning(key) or self.meaning(key + ":"))

    def meaning(self, word):
        """The concept of a word, or that of the word that it is a form of."""
        found = [cell for cell in self.own(word) if cell[0] == "#" and cell != QUESTION]
        return found or next((found for stem in stems_of(word) if (found := self.meaning(stem))), [])

    def find(self, text):
        """The cards that answer a text, the best first. Two names in a question are among the first three; code also finds the correction that quotes it, and its names."""
        text = code(text)
        words = list(tokens(text))
        pieces = list(self.pieces([word for word, _ in words], "#"))
        is_question = any(QUESTION in self.cells(piece) or piece[0] >= "\u4e00" for piece in pieces) or not BRACKET.search(text) and re.search("[\u4e00-\u9fff]", text)
        called = self.called(words, text) if CODE.search(text) and not is_question else []
        if called and (assigned := ASSIGNMENT.fullmatch(text)):
            called = self.called(list(tokens(assigned[1])), assigned[1]) or called
        whole = self.cards(fold(text), text)
        found = [text] * bool(self.row(text)) + whole + called
        named, concepts = list(self.names(text, MANY)), self.concepts([word for word, _ in words])
        if found:
            quoted = [card for card in self.about(concepts, [], [])[:1] if card.startswith("correction") and len(concepts) > 1]
            return list(dict.fromkeys(found + quoted + named))
        meant = [card for piece in pieces for card in self.cards(piece, "")] if len(concepts) == 1 else []
        found = self.about(concepts, list(self.names(text)), meant) or [card for piece in self.pieces([word for word, _ in words]) for card in self.cards(piece, text)]
        lost = [card for card in named if card not in found[:3]][:2]
        return list(dict.fromkeys(found[:3 - len(lost)] + lost + found))

    def cards(self, key, text):
        """The cards of a key; first those whose names stand in the text letter by letter."""
        return sorted((card for card in self.cells(key) if card[0] != "#"), key=lambda card: -len(card) if card in text else 0)

    def pieces(self, words, mark=""):
        """The longest keys in a text: none is part of another. If there is a mark, only those that have a cell which begins with it."""
        def is_key(piece):
            return any(cell.startswith(mark) for cell in self.cells(piece))
        last = 0
        for start in range(len(words)):
            end = next((end for end in range(min(len(words), start + LONGEST), max(start, last), -1) if is_key("".join(words[start:end]))), 0)
            if end:
                yield "".join(words[start:end])
                last = end

    def called(self, words, text):
        """What code calls or declares: the outermost function or message with a key, then its last name, and rather one that is spelled as its card is. What stands in
        brackets is an argument, unless nothing outside has a key, or only a word as while has one."""
        if "[" not in text and any(self.names(text)):
            words = [word for word in words if word[0] not in CONTROL]
        for depth in sorted({depth for _, depth in words}):
            here = [word for word, deep in words if deep == depth]
            selector, labels = ("".join(word for word, deep in words if deep == level and word.endswith(":")) for level in (depth, depth + 1))
            for key in [selector, here[-1] + labels if labels else "", labels]:
                if cards := self.cards(key, text):
                    return cards
            found = [(key, cards) for end in range(len(here), 0, -1) for start in range(end) if (cards := self.cards(key := "".join(here[start:end]), text))]
            spelled = [cards for key, cards in found if key not in here or cards[0] in IDENTIFIER.findall(text)]
            if found:
                return (spelled or [found[0][1]])[0]
        return []

    def names(self, text, most=0):
        """The cards of the names in a text that have one, and are no words for something else, unless the text has two for the same, or at most so many texts have this: they
        are spelled as only a name is, and few texts have them. A selector may lack all but its first part."""
        found = [(name, fold(name), card) for name in dict.fromkeys(IDENTIFIER.findall(text))
                 for card in [card for card in self.cards(fold(name), name) if card == name or card.startswith(name + ":")][:1]]
        means = [min((cell for cell in self.cells(key) if cell[0] == "#"), default="#" + key) for _, key, _ in found]
        for (name, key, card), meaning in zip(found, means):
            many = len(self.lines.get(meaning, []))
            if name[0] == "_" or SPELLED.search(name) and (many <= max(most, FEW * (meaning == "#" + key)) or means.count(meaning) > 1):
                yield card

    def concepts(self, words):
        """What the words of a text mean, and the words in these, unless they are a single character: 主线程 has 线程, and 关系 has not 关."""
        runs = ["".join(words[start:end]) for start in range(len(words)) for end in range(start + 1, min(len(words), start + WORDS) + 1)]
        return {cell for run in [run for run in runs if len(run) > 1] + list(self.pieces(words, "#")) for cell in self.meaning(run)}

    def about(self, concepts, names, meant):
        """The cards whose texts share most with a text: the best text of a card counts, and what all of them together share. A name in the text counts, too."""
        texts, ranks, best = defaultdict(int), Counter({card: NAME for card in names}), Counter()
        for concept in concepts:
            rarity, *entries = self.lines.get(concept, ["0"])
            for entry in entries:
                text, _, weight = entry.rpartition(":")
                texts[text] += int(weight)
            ranks.update({entry.partition("~")[0]: int(rarity) for entry in entries})
        for text, count in texts.items():
            card = text.partition("~")[0]
            best[card] = max(best[card], count)
        ranks.update(best)
        return list(dict.fromkeys([card for card in names if meant] + meant + sorted(ranks, key=lambda card: (-ranks[card], card))))

    def near(self, text):
        """If nothing answers: the cards whose names begin with a text, or have it in them; or else those that are spelled almost like it."""
        key, keys = fold(text), sorted({short for line in self.lines if (match := KEY.fullmatch(line)) for short in shorts(match[1])})
        if len(key) < 4:
            return []
        found = sorted((other for other in keys if key in other), key=lambda other: (not other.startswith(key), len(other), other))
        if not found:
            most = min(len(key) // 6 + 1, 3)
            far = {other: distance(key, other) for other in keys if abs(len(other) - len(key)) <= most and (other[:3] == key[:3] or other[-3:] == key[-3:])}
            found = sorted((other for other in far if far[other] <= most), key=lambda other: (far[other], other))
        return list(dict.fromkeys(card for other in found[:8] for card in self.cards(other, text)))


def stems_of(word):
    """What a word may be a form of: without an ending, with e in its place, or with one letter in place of two; a word of a selector, without its colon."""
    for ending in ENDINGS:
        stem = word.removesuffix(ending)
        if 2 < len(stem) < len(word):
            yield stem
            if ending in ("ed", "ing"):
                yield stem + "e"
                if stem[-1] == stem[-2]:
                    yield stem[:-1]


def shorts(key):
    """A key, and what readers make of it."""
    bases = [key] + [key.removeprefix(start) for start in PREFIXES if key.startswith(start)]
    return {short for base in bases for short in (base, base.removesuffix("ref")) if short == key or len(short) >= SHORTEST}


def title(name, language):
    """What a card is called before its sentence; of a term, nothing, because its sentence begins with it."""
    kind, _, rest = name.partition(" ")
    if name.startswith("term "):
        return ""
    if re.fullmatch(r"\d+|9\.\d", name):
        return f"第 {name} 步" if language == "zh" else f"step {name}"
    return f"{KINDS[kind]} {rest}" if kind in KINDS and rest and language == "zh" else name


def in_language(card, column, language):
    return card[column + " in Chinese" * (language == "zh")]


def distance(one, other):
    """The number of characters to insert, delete or replace to turn one word into the other."""
    row = list(range(len(other) + 1))
    for number, letter in enumerate(one, 1):
        diagonal, row[0] = row[0], number
        for column, wanted in enumerate(other, 1):
            diagonal, row[column] = row[column], min(diagonal + (letter != wanted), row[column] + 1, row[column - 1] + 1)
    return row[-1]


@lru_cache(None)
def index():
    return Index(PATH.read_text(encoding="utf-8"))
