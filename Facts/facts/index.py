"""The index: what RunLoopLab explain, rl-explain and the search of the reading edition look up in, by one rule. The rule is here, and in Edition/edition/static/index.js. answers.py makes the index, and cached.py keeps it.

Each line begins with what is looked up, and a tab:

    KEY      a folded name or phrase, and the cards that it means. A name whose folded form is the key of its card only needs no line
    ~WORD    a word or a phrase that has synonyms, and the term that stands for all of them; or QUESTION or NOTHING
    #TERM    how rare a term is; then CARD.PASSAGE:WEIGHT for each passage that has it. The weights are those of BM25
    @        the cards, each with how much it counts, in percent, and how much it says. Their numbers in line #TERM are their places here
    =KEY     the card with that folded name: its name, and the cells of COLUMNS. If several cards have it, all but one stand behind = and the name as it is
"""

import re
from collections import Counter
from functools import lru_cache

from . import cached
from .texts import CONTROL, PARTICLES, TOKEN, code, distance, fold, stem, thing, tokens

COLUMNS = ["title", "title in Chinese", "sentence", "sentence in Chinese", "more", "more in Chinese", "here", "here in Chinese", "original", "original in Chinese", "versions", "verdict", "step", "articles", "claims",
           "tests", "programs"]
CHINESE = re.compile("[\u4e00-\u9fff]")
CODE = re.compile(r"[][(){};=_:.@*&<>+/-]|^\S+$")
WORD = re.compile(r"[\w.:>()-]+$", re.A)  # a name, a qualified name, or a frame
ASSIGNMENT = re.compile(r"[^=!<>()[{\"]+= *((?:\[|(?:\([A-Za-z0-9_]+\) *)?[A-Za-z0-9_]+\(|k[A-Z]).*)")
IDENTIFIER = re.compile(r"(?:[A-Za-z_][A-Za-z0-9_]*:)+|[A-Za-z_][A-Za-z0-9_]*")
QUALIFIED = re.compile(r"\b(?!self\b)([A-Za-z_]\w*)(?:\.|::|->)([A-Za-z]\w*)(?:\(\))?", re.A)
PROSE = re.compile(r"(?<![\w.:])[A-Za-z]+ (?!(?:void|char|int|long|unsigned|in)\b)[a-z]+ [a-z]+(?![\w(.:])|[\w)\]] [a-z]+\b.*[\w)\]]\.$|[\w)] [a-z]+ [a-z]+$", re.A)
SPELLED = re.compile(r"_|[a-z][A-Z]|[A-Z]{2}[a-z]")  # as only a name is
NAME = re.compile("[A-Za-z]+[A-Z][A-Za-z0-9_]*")  # in a question: a name, or letters that stand for words
HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_+")
ANSWERS = re.compile(r"[A-Z]\d+$|[\d.]+$|(?:correction|experiment|term) |.*(?:#|\.h(?:\.|$))", re.A)  # the cards that are no names
PARAGRAPH = re.compile(r"(#.*|\.h)\.\d+$", re.A)  # of a section, one that is not the first
QUESTION, NOTHING = "?", "-"  # words that make a text a question, and words that say nothing
BEST, ALL = 3, 800  # how much the best passage of a card counts; and all of them together
COMMON, UNKNOWN = 350, 900  # at least so rare is a name that is shown although other cards say more; and how rare a word is that nothing has: the rarest has less


class Index:
    def __init__(self, text):
        self.lines = {key: rest for key, _, rest in (line.partition("\t") for line in text.splitlines())}
        self.synonyms = {key[1:]: rest.split("\t") for key, rest in self.lines.items() if key[0] == "~"}  # the terms of the words that have synonyms
        self.beginnings = {key[:end] for key in self.synonyms for end in range(1, len(key) + 1)}
        self.worths = [cell.split(" ", 2) for cell in self.line("@")]  # of each card: how much it counts, how much it says, and its name
        self.card_names = [name for *_, name in self.worths]

    def line(self, key):
        """The cells of a line; none, if no line has this key."""
        return self.lines[key].split("\t") if key in self.lines else []

    def row(self, name):
        """The line of a card: its name and the cells of the columns; empty if there is no such card."""
        return next((row for key in (fold(name), name) if (row := self.line("=" + key)) and row[0] == name), [])

    def card(self, name):
        """What the index says of a card, by the names of the columns."""
        return dict(zip(COLUMNS, self.row(name)[1:]))

    def cards(self, key, text):
        """The cards that a key means; first those whose names stand in the text letter by letter, or, of a name with *, all but that."""
        return sorted(self.line(key) or self.line("=" + key)[:1], key=lambda card: -len(card) if card.replace("*", "") in text else 0)

    def rarity(self, term):
        return int(self.lines.get("#" + term, "0").partition("\t")[0])

    def find(self, text):
        return self.answer(text)[0]

    def answer(self, text):
        """The cards that answer a text, the best first; the words that nothing knows; and whether the first says most of what is asked. Code also finds its names, and a question
        two of those in it. The last part of a qualified name means nothing without the first: if both together mean nothing, they are unknown."""
        text, unknown = text if "\n" in text.strip() else code(text), []  # the comments of a listing say what it is
        whole = [text] * bool(self.row(text)) + self.cards(fold(text), text) or self.defined(text)
        for match in [] if whole else QUALIFIED.finditer(text):
            if not SPELLED.search(match[2]) and self.cards(fold(match[2]), "") and not self.cards(fold(match[1] + match[2]), ""):
                unknown.append(match[0])
                text = text.replace(match[0], match[1])
        asks = bool({*text} & {*"?？"}) or self.terms(text)[2]
        is_prose = asks or bool(PROSE.search(text) or CHINESE.search(text))
        called = self.called(text) if CODE.search(text) and not (whole or is_prose or unknown or "\n" in text) else []
        named = list(self.names(text))
        if whole := whole or called:
            return list(dict.fromkeys([*whole, *named, *(self.about(text)[0] if is_prose else ())])), unknown, True
        found, rest, is_sure = self.about(text)
        if WORD.match(text) and (unknown or rest and IDENTIFIER.fullmatch(text)):
            return [], unknown or [text], False
        if len(named) == 1 and not self.terms(IDENTIFIER.sub(lambda match: match[0] * (not SPELLED.search(match[0])), text))[0]:
            found = named + found
        lost = [card for card in named if card not in found[:3]][:2]
        return list(dict.fromkeys(found[:3 - len(lost)] + lost + found)), list(dict.fromkeys(unknown + rest)), is_sure and not unknown

    def defined(self, text):
        """The cards of the thing of which a text asks what it is, one or several: first a word of that name, then a name as the text spells it, then any word that it means."""
        key = thing(text)
        cards = self.cards(key, "") + self.cards(key.removesuffix("s"), "")
        return sorted(cards, key=lambda card: (
            fold(card) != "term" + key, not (card in text and SPELLED.search(card)), not card.startswith("term ")))

    def called(self, text):
        """What code calls or declares: the outermost function or message with a key, then its last name, and rather one that is spelled as its card is. What stands in
        brackets is an argument, unless nothing outside has a key. Of an assignment, what is assigned."""
        if (assigned := ASSIGNMENT.fullmatch(text)) and (found := self.called(assigned[1])):
            return found
        names, words = IDENTIFIER.findall(text), [*tokens(text)]
        for depth in sorted({depth for _, depth in words}):
            here = [word for word, deep in words if deep == depth]
            selector, labels = ("".join(word for word, deep in words if deep == level and word.endswith(":")) for level in (depth, depth + 1))
            for key in [selector, here[-1] + labels if labels else "", labels]:
                if cards := self.cards(key, text):
                    return cards
            found = [(key, cards) for end in range(len(here), 0, -1) for start in range(end) if (cards := self.cards(key := "".join(here[start:end]), text))]
            if found:
                return next((cards for key, cards in found if key not in here or cards[0] in names), found[0][1])
        return []

    def names(self, text):
        """The cards of the names in a text that are spelled as only a name is, and rare. A selector may lack all but its first part."""
        for name in dict.fromkeys(IDENTIFIER.findall(text)):
            if (name[0] == "_" or SPELLED.search(name)) and (self.rarity(stem(fold(name))) or UNKNOWN) > COMMON:
                yield from [card for card in self.cards(fold(name), name) if card == name or card.startswith(name + ":")][:1]

    def terms(self, text):
        """What counts in a text: words, pairs of Chinese characters, and what stands for a word and its synonyms; the words that nothing knows; and whether a word asks."""
        words, found, covered, unknown, run, asks = TOKEN.findall(text.lower()), [], set(), [], [], False
        for start in range(len(words)):
            joined = ""
            for end in range(start, len(words)):
                joined += words[end]
                for term in self.synonyms.get(stem(joined), ()):
                    is_term, asks = term not in (QUESTION, NOTHING), asks or term == QUESTION and joined not in CONTROL
                    if is_term and len(joined) > 1:
                        found.append(term)
                    if not is_term or len(joined) > 1:
                        covered.update(range(start, end + 1))
                if joined not in self.beginnings:
                    break
        for place, word in enumerate([*words, ""]):
            if CHINESE.match(word) and place not in covered and word not in PARTICLES:
                run.append(word)
                continue
            pairs = [one + other for one, other in zip(run, run[1:])]
            found += pairs or [term for each in run for term in self.line("~" + each)]
            unknown += ["".join(run)] if pairs and not any(map(self.rarity, pairs)) else []
            run = []
            if len(word) > 1 and place not in covered:
                found.append(stem(word))
                unknown += [word] if not self.rarity(stem(word)) else []
        return list(dict.fromkeys(found)), list(dict.fromkeys(unknown)), asks

    @lru_cache(None)
    def passages(self, term):
        """How rare a term is, its weight in each passage, and how many passages of each card have it."""
        rarity, *entries = self.line("#" + term) or ["0"]
        weights = {passage: int(weight) for passage, weight in (entry.split(":") for entry in entries)}
        return int(rarity), weights, Counter(passage.partition(".")[0] for passage in weights)

    def about(self, text):
        """The cards whose passages share most with a text, unknown words included. The best passage of a card counts, and the card as a whole; of a section, the best paragraph.
        A name that the text does not have counts less."""
        parts = [part for name in IDENTIFIER.findall(text) if not self.rarity(stem(fold(name))) and HUMP.search(name) for part in HUMP.split(name)]
        terms, unknown, _ = self.terms(" ".join([text, *parts]))
        passages, shared, every, whole, best = Counter(), Counter(), Counter(), UNKNOWN * len(unknown), {}
        for term in terms:
            rarity, weights, times = self.passages(term)
            whole += rarity
            passages.update(weights)
            for card, count in times.items():
                shared[card] += rarity
                every[card] += ALL * rarity * count // (100 * count + int(self.worths[int(card)][1]))
        for passage, weight in passages.items():
            card = passage.partition(".")[0]
            best[card] = max(weight, best.get(card, weight))
        ranks, shares = {}, {}
        name = max((stem(fold(name)) for name in NAME.findall(text)), key=self.rarity, default="")  # which decides, if it is rare
        holders = self.passages(name)[2] if self.rarity(name) > COMMON else best
        for card in best:
            worth, _, name = self.worths[int(card)]
            counts = (5 if card in holders else 4) * (4 if ANSWERS.match(name) or name.lower() in text.lower() else 3)
            ranks[name], shares[name] = (BEST * best[card] + every[card]) * (shared[card] + 2 * whole) // whole * int(worth) * counts, shared[card]
        found = {}
        for name in sorted(ranks, key=lambda name: (-ranks[name], name)):
            found.setdefault(PARAGRAPH.sub(r"\1", name), name)
        found = [*found.values()]
        return found, [word for word in unknown if word.isascii() or len(word) > 2], bool(found) and 2 * shares[found[0]] >= whole

    def near(self, text):
        """If nothing answers: the cards whose names begin with a text, or have it in them; or else those that are spelled almost like it."""
        key, keys = fold(text), sorted({key.removeprefix("=") for key in self.lines if re.fullmatch("=?[a-z0-9_:\u4e00-\u9fff]+", key)})
        keys = keys if len(key) > 3 else []
        found = sorted((other for other in keys if key in other), key=lambda other: (not other.startswith(key), len(other), other))
        if not found:
            most = min(len(key) // 6 + 1, 3)
            far = {other: distance(key, other) for other in keys if abs(len(other) - len(key)) <= most and (other[:3] == key[:3] or other[-3:] == key[-3:])}
            found = sorted((other for other in far if far[other] <= most), key=lambda other: (far[other], other))
        return list(dict.fromkeys(card for other in found[:8] for card in self.cards(other, text)))


@lru_cache(None)
def index():
    return Index(cached.text())
