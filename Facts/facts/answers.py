"""Makes the index that index.py looks up in: of the sources, ANNOTATIONS, the glossary, the page of the articles, the experiments, the sections of all other documents, and the tables of
Facts; words.tsv there has the synonyms of readers, and reader-phrases.tsv what they ask. cached.py keeps it.
"""

import math
import re
from collections import Counter, defaultdict
from functools import cached_property, lru_cache
from itertools import product

from . import ROOT, Failure, annotations, cards, claims, declarations, definitions, documents, index, items, tables

LANGUAGES = ("en", "zh")
LOOP = "Sources/CRunLoop/CFRunLoop.c"
#: What the pages say that stand for items.
PAGES = [("ANNOTATIONS.md", "The fields of the structs, one by one.", "逐个说明结构体的字段。"),
         ("versions.md", "Where the source of CoreFoundation is published.", "CoreFoundation 的源码发布在哪里。")]
#: Documents of which the rows have cards, and those that are no answers.
SKIPPED = re.compile(r"ANNOTATIONS|CHANGELOG|CONTRIBUTING|SECURITY|Documentation/Reference/(?:api\.zh/|articles|claims|corrections|differences|glossary|programs)")
CONTENTS = re.compile(r"\[[^]]*\]\(|`?[\w./-]+/[\w.]*`? |`?\w+\.(?:c|h|swift|py)\b")  # a row that leads to a file
NUMBERS = re.compile(r"(?:[:;] [\d.,]+(?: ?[a-zµ]+)?){2}")  # a row of measurements
SWITCH = re.compile(r"\[[^]]*\]\([^)]*\)$")  # the link to the other language
FULL = 40  # characters: a shorter paragraph says nothing alone
QUESTIONS = "Guides/questions#"  # what readers ask
PART = "\0"  # between the parts of a passage
SENTENCE = {"en": re.compile(r"(?<=[.?!]) (?=[A-Z`])"), "zh": re.compile("(?<=[。？！])(?=.)")}  # the answer to a question of the guide says one thing in each sentence
ASKED_HERE, SECTION, WALK, ASKED_NAME, NAME, INTERNAL = 105, 95, 80, 85, 70, 60  # percent: how much a card counts, where a claim counts 100; ASKED_HERE of a question of the guide
ASKING = "?="  # in words.tsv
ASKED = 5  # percent more, each time that twice as many questions of readers ask for a card
COMMENT = 0.5  # how much a doc comment counts, compared with its first sentence
LITTLE, PAIR = 0.4, 0.6  # how much a word counts that says little of what is asked; and two Chinese characters that may be no word
FEWEST = 10  # passages: a term that fewer have is no rarer
SATURATION, LENGTH, POWER = 1.2, 0.9, 1.25  # k1 and b of BM25 for a passage; and how much more a rare word counts
REPEATED, SIZE = 3, 0.3  # k1 and b for a whole card
PREFIXES = ("kcfrunloop", "kcf", "cfrunloop", "cf", "ns", "ui")  # which readers leave out, and Ref
SHORTEST = 4  # letters of a name without them
DIGITS = "零一二三四五六七八九十"
#: How the table of the articles' names says that a name stands for another.
SLIP = re.compile(r"(?:A slip of .* for|A.* short form of|The articles' short form of|Short for(?: the methods)?|Means|Foundation's name of|.* name for|.* the type is|.* the same as) ([\w:]+)")


#: The claims that a correction names behind its last sentence.
NAMED = re.compile(rf"\s?[(（](?:{tables.ID}(?:, |、)?)+[)）]$")


class Maker:
    def __init__(self):
        self.cards, self.slips, self.headings, self.synonyms, self.silent, self.asked = {}, {}, {}, {}, [], Counter()
        self.keys, self.passages, self.comments, self.rows_of, self.titles = (defaultdict(list) for _ in range(5))
        self.both = [cards.cards(language) for language in LANGUAGES]
        self.tests = {name: (sentence, path) for name, sentence, path, _ in annotations.tests()}
        self.members = members()
        self.names()
        self.ids()
        self.items()
        self.experiments()
        self.terms()
        self.corrections()
        self.steps()
        self.sections()
        self.doc_comments()
        self.words()

    def add(self, name, sentences, keys=(), **cells):
        """A card. `keys` are other spellings."""
        if sentences[0].rstrip(".") == name:
            self.silent.append(name)
            return
        row = dict.fromkeys(index.COLUMNS, "") | {"sentence": sentences[0], "sentence in Chinese": sentences[1]} | {key.replace("_", " "): value for key, value in cells.items()}
        # The Chinese point needs no space after it.
        self.cards[name] = {column: " ".join(text.split()).replace("。 ", "。") for column, text in row.items()}
        for key in (name, *keys):
            if not re.fullmatch(r"[\d.]+", key):
                self.key(key, name)

    def key(self, words, card):
        if (key := index.fold(words)) and card not in self.keys[key]:
            self.keys[key].append(card)

    # Names

    def names(self):
        gone = stale_names()
        library = [name for name, symbols in definitions.library().items() if symbols[0].kind not in ("member", "variable", "externvar") and tables.is_explained(name)]
        known = {name: None for name in [*self.both[0], *tables.functions(), *self.members, *library]
                 if name and not name.startswith("CRL_") and name not in gone and name not in items.rows() and not annotations.ID.match(name)}
        records = [{name: both.get(name) or {"name": name} for name in known} for both in self.both]
        for name in known:
            self.name(name, *(record[name] for record in records))
        # The spellings of the articles come first, then those of the original.
        rank = {name: (not record.get("articles"), not record.get("original"), not record.get("rows"), len(name), name) for name, record in records[0].items()}
        direct = set(self.keys)
        for name in sorted(known, key=rank.get):
            for key in self.short(name):
                if key not in direct:
                    self.key(key, name)
        self.rank = lambda key: lambda card: (not card.startswith("term "), card in self.slips, card not in rank, index.fold(card) != key, rank.get(card, ()))

    def name(self, name, english, chinese):
        notes, mores = zip(*(self.said(name, record, language) for record, language in ((english, "en"), (chinese, "zh"))))
        original = english.get("original", [])
        versions = ", ".join(version for version in dict.fromkeys(annotations.VERSIONS.values()) if any(version in each["versions"] for each in original))
        kinds = ["; ".join(dict.fromkeys(each["kind"] for each in record.get("original", []))) for record in (english, chinese)]
        places = english.get("here") or self.members.get(name, [{}])[0].get("here") or [
            {"path": symbol.path, "line": symbol.line} for symbol in definitions.library().get(name, []) if symbol.kind not in ("prototype", "externvar")]
        items = [item["id"] for item in english.get("items", [])]
        runs = [f"experiment {each['name']}" for each in english.get("experiments", [])] + [f"article {id}" for id in items if id not in self.why_not]
        steps = [cell["text"] for row in english.get("rows", []) for cell in row["cells"] if cell["head"] == "step"]
        # Swift lets you write the last closure behind the brackets.
        self.add(name, notes, [name.replace("block:)", ")")] if re.search(r":block:\)$", name) else [], more=mores[0], more_in_Chinese=mores[1], here=places_of(places), original=kinds[0], original_in_Chinese=kinds[1], versions=versions,
                 verdict=next((row["verdict"] for row in english.get("rows", []) if row["verdict"]), "ours" * cards.is_ours(english)), step=(tables.function(name).step or next(iter(steps), "")),
                 articles=" ".join(map(str, english.get("articles", {}).get("numbers", []))), claims=" ".join([claim["id"] for claim in english.get("claims", [])][:6]),
                 tests=self.test_places([test["name"] for test in english.get("tests", [])]), programs=", ".join(runs[:3]))
        if english.get("articles", {}).get("kind") in ("demo", "third-party"):
            for id in items[:3]:
                self.key(name, id)
        if name not in self.cards:
            return
        self.qualified(name, notes)
        self.passages[name] += [spelled(name), *notes]
        if english.get("articles") and (match := SLIP.match(english["articles"]["note"])):
            self.slips[name] = match[1]

    def qualified(self, name, notes):
        """The members of that name: RunLoop.main, and RunLoop.run of run(until:). Of which the card of the name says something else, it has one of its own."""
        for member in self.members.get(name, []):
            card, said = f"{member['owner']}.{name}", [sentence(member[language] or member["en"], language) for language in LANGUAGES]
            if is_other := said[0] != notes[0] and card != name and member["owner"] != name:
                self.add(card, said, here=places_of(member["here"]))
                self.passages[card].append(card)
            for key in {card, card.partition("(")[0]}:
                self.key(key, card if is_other else name)

    why_not = {id for id, (_, here, _) in cards.items("en").items() if here.startswith("cannot")}

    def said(self, name, record, language):
        """What a name is, in a sentence, of an article's name that of its table; and what else is known, first of all what the comment of the definition says."""
        function, note = tables.function(name), record.get("articles", {}).get("note", "")
        about = tables.about(name, language)
        if function.callout:
            about = f"The callout to {about}: here the loop calls code that is not its own." if language == "en" else f"回调（callout）：RunLoop 从这里调用{about}。"
        about = about or self.members.get(name, [{}])[0].get(language, "")
        rows = [annotations.plain(cell["text"]) for row in record.get("rows", []) for cell in row["cells"] if is_said(cell)]
        instead = record.get("instead", "")
        if above := layer(language).get(name):
            instead, rows = (annotations.plain(above[0]) if above[0] != "–" else instead), [annotations.plain(text) for text in above[1:]]
        if note:
            instead = instead and point(f"Here: {instead}" if language == "en" else f"这里：{instead}", language)
            return note, " ".join(dict.fromkeys(filter(None, [about and definitions.not_said(sentence(about, language), note), *rows[:1], instead, *rows[1:]])))
        if about:
            return sentence(about, language), " ".join(rows)
        if instead and (not rows or language == "zh" and len(rows[0]) > 80 or language == "en" and len(rows[0]) > 160):
            return sentence(instead, language), " ".join(rows)
        if rows:
            first = definitions.first_sentence(rows[0])
            return sentence(first, language), " ".join([rows[0][len(first):].strip(), *rows[1:]]).strip()
        enumeration = definitions.enumeration_of(name)
        remark = self.remark(name, language)
        if not remark and enumeration != name and (meant := self.remark(enumeration, language)):
            remark = f"One of {enumeration}: {meant}" if language == "en" else f"{enumeration} 之一：{meant}"
        if not remark and not instead and language == "zh" and tables.is_explained(name):  # not translated yet: facts.api_zh --check says so
            return self.said(name, record, "en")
        kind = next((each["kind"] for each in record.get("original", [])), "")
        return sentence(remark or instead or absent(kind, language) or name, language), ""

    @staticmethod
    def remark(name, language):
        return tables.plain(definitions.remark_of(name) if language == "en" else definitions.first_sentence(tables.chinese_comments().get(name, "")))

    @staticmethod
    def short(name):
        """Spellings that leave out a prefix, Ref at the end, or all but the first part of a selector."""
        key = index.fold(name)
        if ":" in key and "(" not in name:
            yield key.partition(":")[0]
        bases = [key, *(key.removeprefix(start) for start in PREFIXES if key.startswith(start))]
        yield from sorted({short for base in bases for short in (base, base.removesuffix("ref")) if len(short) >= SHORTEST} - {key})

    # What has an id

    def ids(self):
        for id in dict.fromkeys(row["id"] for row in tables.rows("claims")):
            row = next(row for row in tables.rows("claims") if row["id"] == id)
            english, chinese = self.both[0][id], self.both[1][id]
            is_claim = not row["reason"]
            sentences = [annotations.plain(row[column]) for column in (("claim", "claim in Chinese") if is_claim else ("here", "here in Chinese"))]
            mores = ["", ""] if is_claim else [f"Apple: {annotations.plain(row[column])}" for column in ("claim", "claim in Chinese")]
            runs = [f"experiment {each['name']}" for each in english["experiments"]] + re.findall(r"`(article [\d.]+)`", str(english["rows"]))
            sentences = [sentence(text, language) for text, language in zip(sentences, LANGUAGES)]
            if is_claim:
                more = [row[column] and space + sentence(annotations.plain(row[column]), language) for column, language, space in zip(("here", "here in Chinese"), LANGUAGES, (" ", ""))]
                sentences = [point(claims.verdicts()[id].behind(text.rstrip(".。"), language), language) + rest for text, rest, language in zip(sentences, more, LANGUAGES)]
                mores = [self.corrected(claims.verdicts()[id], language) for language in LANGUAGES]
            self.add(id, sentences, more=mores[0], more_in_Chinese=mores[1],
                     here=f'{annotations.home(id)}.md#1#<a id="{id}">', tests=self.test_places([test["name"] for test in english["tests"]]), programs=", ".join(runs[:3]))
            self.passages[id] = [row["claim"], row["claim in Chinese"], row["here"], row["here in Chinese"]]

    @staticmethod
    def corrected(verdict, language):
        """What the corrections say that touch a claim, and then those about another sentence of the articles: these in short, behind that sentence."""
        (name, colon), (enough, little) = (("Correction", ": "), (160, 60)) if language == "en" else (("更正", "："), (60, 20))
        found = annotations.corrections(language)
        said = [f"{name} {number}{colon}{NAMED.sub('', definitions.answer_of(annotations.plain(found[number - 1].so[0]), enough))}" for number in verdict.corrections]
        for number in verdict.see:
            correction = found[number - 1]
            claimed = definitions.first_sentence(annotations.plain(correction.said))
            said.append(f"{name} {number}{colon}{said_of(claimed, language)}{NAMED.sub('', definitions.answer_of(annotations.plain(correction.so[0]), little))}")
        return " ".join(said)

    def items(self):
        chinese = cards.items("zh")
        for id, (heading, here, result) in cards.items("en").items():
            parts = [annotations.plain(text).partition(": ")[2] or annotations.plain(text) for text in (here, chinese[id][1])]
            parts = [part.partition("：")[2] if part.startswith(("这里", "不能")) and "：" in part else part for part in parts]
            if experiment := re.fullmatch(r"experiment ([\w-]+)", parts[0]):
                parts = [cards.experiments(language)[experiment[1]][1] for language in LANGUAGES]
            if page := next((said for page, *said in PAGES if parts[0].endswith(page)), None):
                parts = [f"{said}{' ' * (language == 'en')}{sentence(where, language)}" for said, where, language in zip(page, parts, LANGUAGES)]
            path = re.search(r"\((?:\.\./)*([^)#]*)", here)
            mark = f'name: "{shown}"' if (shown := items.experiment(id)) else f'About(article: "{items.program(id)}"'
            self.headings[id] = [heading, re.sub(r"^[\d.]+ ", "", heading)]
            self.add(id, [f"〈{heading}〉 {sentence(part, language)}{' ' * (language == 'en')}{last}" for part, language, last in zip(parts, LANGUAGES, map(annotations.plain, (result, chinese[id][2])))], self.headings[id],
                     here=f"{source}#1#{mark}" if (source := items.source(id)) else path[1] if path else "", programs="" if id in self.why_not else f"article {id}")
            self.passages[id] = [heading, *parts]

    def experiments(self):
        for name, (path, shows, claims, _) in cards.experiments("en").items():
            chinese = cards.experiments("zh")[name][1]
            self.add(f"experiment {name}", [sentence(shows, "en"), sentence(chinese, "zh")], [name], here=f'{path}#1#name: "{name}"', claims=" ".join(claims), programs=f"experiment {name}")
            self.passages[f"experiment {name}"] = [name.replace("-", " "), shows, chinese]

    def terms(self):
        for term, (words, _, _, apple, meaning) in cards.terms("en").items():
            (_, _, _, _, in_chinese) = cards.terms("zh")[term]
            self.add(f"term {term}", [point(f"{term}: {annotations.plain(meaning)}", "en"), point(f"{words[1]}：{annotations.plain(in_chinese)}", "zh")],
                     [spelling for word in words for spelling in spellings(word)], here=f"Documentation/Reference/glossary.md#1# {term} |", more=annotations.plain(apple).strip("–"))
            self.passages[f"term {term}"] = [*(spelling for word in words for spelling in spellings(word)), meaning, in_chinese]

    def corrections(self):
        for number, (english, chinese) in enumerate(zip(*map(annotations.corrections, LANGUAGES)), 1):
            name, sos = f"correction {number}", [[annotations.plain(text) for text in each.so] for each in (english, chinese)]
            firsts = [definitions.answer_of(so[0], enough) for so, enough in zip(sos, (60, 20))]
            mores = [" ".join([so[0][len(first):], *so[1:]]) for so, first in zip(sos, firsts)]
            tests = [test for test in re.findall(r"`(\w+)`", english.shown) if test in self.tests]
            runs = [f"experiment {each}" for each in re.findall(r"`([\w-]+)`", english.shown) if each in cards.experiments("en")]
            saids = [definitions.first_sentence(annotations.plain(each.said)) for each in (english, chinese)]
            self.add(name, [said_of(said, language) + first for said, first, language in zip(saids, firsts, LANGUAGES)], [f"更正 {number}"], more=mores[0], more_in_Chinese=mores[1], claims=" ".join(claims.naming(number)), here=f"{annotations.CORRECTIONS}.md#1#> {english.quotations[0][0]}: 「{english.quotations[0][1]}」", articles=" ".join(dict.fromkeys(article for article, _ in english.quotations)),
                     tests=self.test_places(tests), programs=", ".join(runs[:3]))
            self.passages[name] = [*(text for _, text in english.quotations), *saids, *sos[0][:1], *sos[1][:1]]

    def steps(self):
        """The steps, whose names are their numbers; readers write `step 5`, 第5步, 步骤 5 and 第五步, too: see `words`."""
        lines = {step: number for number, step in tables.step_markers(definitions.lines_of(LOOP))}
        for number, step in tables.steps().items():
            article3, article4 = step.in_articles
            functions = [f"{name}()" for name, function in tables.functions().items() if function.step == number and function.of == "loop"][:4]
            mores = [step.more["en"].strip(", ."), f"Article 3 numbers it {article3}; article 4 " + (f"numbers it {article4}" if article4 != "-" else "leaves it out"),
                     functions and "In a stack you see " + ", ".join(functions)]
            mores_in_chinese = [step.more["zh"].strip("，。"), f"文章 3 的编号是 {article3}，文章 4 ".replace(", ", "、") + (f"是 {article4}".replace(", ", "、") if article4 != "-" else "没有写这一步"),
                                functions and "在调用栈里能看到 " + "、".join(functions)]
            self.add(number, [point(annotations.plain(step.capital("en")), "en"), point(annotations.plain(step.capital("zh")), "zh")],
                     more=annotations.plain(" ".join(point(text[:1].upper() + text[1:], "en") for text in mores if text)), more_in_Chinese=annotations.plain("".join(point(text, "zh") for text in mores_in_chinese if text)),
                     here=place_of(LOOP, lines[number]), claims="X1", tests=self.cards["X1"]["tests"], programs=self.cards["X1"]["programs"])

    # Sections

    def sections(self):
        """Each paragraph, item and row of a document that is no table of what has cards. The first of a section is called as the section, PAGE#HEADING, the others PAGE#HEADING.2 …"""
        for path in (path for path in documents.paths() if not path.endswith(".zh.md") and not SKIPPED.match(path)):
            chinese = path.replace(".md", ".zh.md")
            read = [documents.read(each) for each in (path, chinese if (ROOT / chinese).is_file() else path)]
            for both in zip(*(each.sections for each in read)):
                parts = [[part for part in section.parts if part.kind in ("paragraph", "item", "row") and not SWITCH.match(part.text)] for section in both]
                heads = [annotations.plain(each.sections[0].heading + (mark + section.heading) * (section.level > 1)) for each, section, mark in zip(read, both, (": ", "："))]
                name = f"{path.removeprefix('Documentation/').removesuffix('.md')}#{documents.anchor_of(both[0].heading)}"
                parts = [self.without_quiz(part) for part in parts]
                said = list(zip(*([row_of(part.text, language) if part.kind == "row" else part.text for part in each] for each, language in zip(parts, LANGUAGES))))
                for number, (pair, texts) in enumerate(zip(zip(*parts), said) if len(parts[0]) == len(parts[1]) else [], 1):
                    if texts[0].endswith(":") and number < len(said):  # what follows belongs to it
                        texts = [f"{text} {more}" for text, more in zip(texts, said[number])]
                    plain = [annotations.plain(text) for text in texts]
                    if number == 1 or len(plain[0]) >= FULL and not (pair[0].kind == "row" and (CONTENTS.match(texts[0]) or NUMBERS.search(texts[0]))):
                        self.section(name + f".{number}" * (number > 1), heads, plain, [place_of(each.path, section.line if number == 1 and section.level else part.line) for each, section, part in zip(read, both, pair)])
                        for span in documents.SPAN.findall(documents.cells_of(pair[0].text)[0]) if pair[0].kind == "row" else []:
                            self.rows_of[index.fold(span)].append(name + f".{number}" * (number > 1))
                if name in self.cards:
                    titles = [annotations.plain(section.heading) for section in both]
                    self.passages[name] += titles
                    for title in filter(lambda title: title.endswith(("?", "？")), titles):
                        self.titles[title].append(name)
                    self.passages[name] += [heads[0] + PART + part.text for part in both[0].parts if part.kind == "code"]

    @staticmethod
    def without_quiz(parts):
        """The parts of a section without the questions that it asks the reader, and without the answers to choose from, most of which are wrong."""
        kept, is_asked = [], False
        for part in parts:
            is_asked = bool(re.fullmatch(r"\*\*.+(?:[?？。.:：]\*\*|[?？])", part.text)) or is_asked and part.kind == "item" and part.marker != "-"
            kept += [] if is_asked else [part]
        return kept

    def section(self, name, heads, texts, here):
        """A card of a text: its first sentences, and then the rest."""
        firsts = [definitions.answer_of(text, enough) for text, enough in zip(texts, (60, 20))]
        mores = [definitions.answer_of(text[len(first):].strip(), enough) for text, first, enough in zip(texts, firsts, (300, 100))]
        self.add(name, [sentence(first, language) for first, language in zip(firsts, LANGUAGES)], heads, title=heads[0], title_in_Chinese=heads[1], more=mores[0], more_in_Chinese=mores[1], here=here[0], here_in_Chinese=here[1])
        self.passages[name] += [head + PART + part for head, text, language in zip(heads, texts, LANGUAGES) for part in (SENTENCE[language].split(text) if name.startswith(QUESTIONS) else [text])]

    def doc_comments(self):
        """The doc comments, whole. A header has a card of its own."""
        for declaration in declarations.every():
            texts = [[annotations.plain(part.replace("\n", " ")) for part in text.split("\n\n")] for text in (declaration.text, translations().get((declaration.owner, declaration.anchor), declaration.text))]
            if declaration.name.endswith(".h"):
                for number, both in enumerate(zip(*texts), 1):
                    self.section(declaration.name + f".{number}" * (number > 1), [declaration.name] * 2, both, [declaration.symbol.path] * 2)
            elif declaration.card in self.cards:
                self.comments[declaration.card] += [part for text in texts for part in text]

    # Words

    def words(self):
        """The synonyms, and the cards that readers' phrases mean."""
        groups, phrases, borrowed, weak, asking = [], [], set(), set(), set()
        glossary = [[spelling for word in words for spelling in spellings(word)] for words, *_ in cards.terms("en").values()]
        for row in tables.rows("words"):
            words, answer = [word for each in row["words"].split(", ") for word in alternatives(each)], row.get("answer", "")
            if answer in ("", "~", ASKING):
                groups.append(words)
                weak.update(words if answer == "~" else [])
                asking.update(words if answer == ASKING else [])
            elif answer in (index.QUESTION, index.NOTHING):
                for word in words:
                    self.synonyms[stem(word)] = [answer]
            else:
                phrases.append((answer, [heading for word in words for heading in self.headings.get(word, [word])]))
        groups += [[row["name"], row["here"]] for row in tables.rows("apple-names") if "." not in row["here"]]
        steps = [(number, [f"step {number}", f"步骤{number}", f"第{number}步", *([f"第{DIGITS[int(number)]}步"] if number.isdigit() else [])]) for number in tables.steps()]
        phrases += steps
        for words in groups + glossary + [words for _, words in steps]:
            keys = [stem(word) for word in words]
            term = next((self.synonyms[key] for key in keys if key in self.synonyms), keys[:1])
            for key in keys:
                self.synonyms.setdefault(key, term)
        for word in asking:
            self.synonyms[stem(word)] = [index.QUESTION, *self.synonyms[stem(word)]]
        self.meant = {term for terms in self.synonyms.values() for term in terms}
        self.little = {term for word in weak | asking for term in self.synonyms[stem(word)]} - {index.QUESTION}
        terms = {index.fold(spelling): f"term {term}" for term, (words, *_) in cards.terms("en").items() for word in words for spelling in spellings(word)}
        for words in groups:
            for term in {terms[key] for key in map(index.fold, words) if key in terms}:
                for word in words:
                    if index.fold(word) not in terms:
                        self.key(word, term)
                        borrowed.add((index.fold(word), term))
        for key in self.keys:
            self.keys[key].sort(key=lambda card: ((key, card) in borrowed, *self.rank(key)(card)))
        for answer, words in phrases[::-1]:
            for word in [word for word in words if " + " not in word]:
                key = index.fold(word)
                self.keys[key] = [answer] + [card for card in self.keys[key] if card != answer]
        for name, meant in self.slips.items():
            known, spelled = self.keys[index.fold(name)], [card for card in (meant, meant.rstrip(":")) if card in self.cards and card != name]
            if index.fold(meant) == index.fold(name) and spelled:
                continue
            for card in (spelled + self.keys.get(index.fold(meant.rstrip(":")), []))[:1]:
                known[:] = [name, card] + [other for other in known if other not in (name, card)]
        for key, rows in self.rows_of.items():  # what a table lists is a name of its row, unless it has a card
            if key and not self.keys[key]:
                self.keys[key] = rows[:1]
        for each in declarations.swift():  # RunLoop.Mode, of which runLoopMode has the same key
            if each.name == each.owner and "." in each.name and each.name.replace(".", "") not in self.cards:
                key = index.fold(each.name)
                self.keys[key] = list(dict.fromkeys([each.card, *self.keys[key]]))
        for row in tables.rows("apple-names"):
            key, here = index.fold(row["name"]), [row["here"]] if row["here"] in self.cards else self.keys[index.fold(row["here"])]
            self.keys[key] = list(dict.fromkeys(here + self.keys[key]))
        if gone := [answer for answer, _ in phrases if answer not in self.cards]:
            raise Failure(f"words.tsv: there is no card {gone[0]}")
        for answer, words in phrases:
            self.passages[answer] += [word.replace(" + ", " ") for word in words]
        for row in tables.rows("reader-phrases")[::-1]:  # of two phrases with one key, the first counts
            answers = row["answer"].split(" + ")
            for answer in answers if row["kind"] in ("question", "term") else ():
                self.passages[answer].append(row["phrase"])
                self.asked[answer] += 1
            if answers == [row["phrase"]]:
                continue
            key = index.fold(row["phrase"])
            self.keys[key] = answers + [card for card in self.keys[key] if card not in answers]
        for title, sections in self.titles.items():  # word for word: a question of the guide comes first, another one last
            key, asked = index.fold(title), [name for name in sections if name.startswith(QUESTIONS)]
            self.keys[key] = list(dict.fromkeys([*asked, *self.keys[key], *sections]))

    def postings(self):
        """The lines of the terms: the weights of BM25, in which a passage that says more counts less. A passage is short, so how often it has a term does not count."""
        numbers, terms, lines = {name: str(number) for number, name in enumerate(self.cards)}, lru_cache(None)(lambda text: self.reader.terms(text)[0]), defaultdict(list)
        found = [(numbers[card], {term for text in texts.split(PART) for term in terms(text)}, share) for passages, share in ((self.passages, 1), (self.comments, COMMENT))
                 for card, each in passages.items() for texts in dict.fromkeys(each)]
        walks = {numbers[card] for card in self.cards if card.startswith("Readings/")}  # they say again, in an article's order, what others say: that makes no word less rare
        counted = [terms for card, terms, _ in found if card not in walks]
        many = Counter(term for terms in counted for term in terms)
        rarity = {term: self.rarity(term, many[term], len(counted)) for term in set().union(*(terms for _, terms, _ in found))}
        average = sum(map(len, counted)) / len(counted)
        for number, (card, terms, share) in enumerate(found):
            length = share * (SATURATION + 1) / (1 + SATURATION * (1 - LENGTH + LENGTH * len(terms) / average))
            for term in terms:
                lines[term].append(f"{card}.{number}:{round(100 * rarity[term] ** POWER * length)}")
        sizes = Counter()
        for card, terms, share in found:
            sizes[card] += share * len(terms)
        mean = sum(sizes.values()) / len(sizes)
        yield "\t".join(["@", *(f"{self.worth(name)} {round(100 * REPEATED * (1 - SIZE + SIZE * sizes[numbers[name]] / mean))} {name}" for name in self.cards)])
        for term in sorted(lines):
            yield "\t".join([f"#{term}", str(round(100 * rarity[term])), *lines[term]])

    def rarity(self, term, many, all):
        """How rare a term is that so many of all passages have. One that fewer than FEWEST have is no rarer."""
        many = max(many, FEWEST) + 0.5
        is_pair = re.fullmatch("[\u4e00-\u9fff]{2}", term) and term not in self.meant
        return math.log(1 + (all + 1 - many) / many) * (LITTLE if term in self.little else PAIR if is_pair else 1)

    def worth(self, name):
        """How much a card counts, in percent: more, if readers ask for it; a name less than what answers a question, and an internal one least."""
        asked = name in self.asked and 100 + ASKED * math.log2(1 + self.asked[name])
        if not index.ANSWERS.match(name):
            is_known = self.both[0].get(name, {}).get("articles") or name in self.members or name in tables.chinese_comments() and name not in tables.internal_names()
            return round(asked * ASKED_NAME / 100) if asked else NAME if is_known else INTERNAL
        base = WALK if name.startswith("Readings/") else ASKED_HERE if name.startswith(QUESTIONS) else SECTION if re.search(r"#|\.h(?:\.|$)", name) else 100
        return round(max(asked, base))

    def lines(self):
        yield from ("\t".join([key, *found]) for key, found in self.keys.items() if found and found != self.rows.get("=" + key, [])[:1])
        yield from ("\t".join(["~" + key, *found]) for key, found in self.synonyms.items())
        yield from ("\t".join([key, *cells]) for key, cells in self.rows.items())
        yield from self.postings()

    @cached_property
    def reader(self):
        """What reads a text with the synonyms alone."""
        return index.Index("\n".join("\t".join(["~" + key, *terms]) for key, terms in self.synonyms.items()))

    @cached_property
    def rows(self):
        """The lines of the cards. The number of an item is no folded name."""
        rows = {}
        for name in sorted(self.cards, key=lambda name: index.fold(name) != name):
            key = "=" + index.fold(name)
            rows["=" + name if key in ("=", *rows) or re.fullmatch(r"[\d.]+", name) else key] = [name, *self.cards[name].values()]
        return rows

    def test_places(self, names):
        return ", ".join(f"{self.tests[name][1]}#1#{name}" for name in names[:3])


def stale_names():
    """The names of the table of internal names that neither the library nor the original has."""
    return {name for name in tables.internal_names() if name not in definitions.library() and name not in tables.originals()}


def spelled(name):
    """A name, and the words that it consists of."""
    return f"{name} {' '.join(index.HUMP.split(re.sub('^_*k?(?:CF|NS)?', '', name)))}"


def stem(word):
    return index.stem(index.fold(word))

def alternatives(word):
    """The words that a word with [a|b] stands for."""
    parts = [part.split("|") if number % 2 else [part] for number, part in enumerate(re.split(r"\[([^][|]+\|[^][]*)\]", word))]
    return ["".join(some) for some in product(*parts)]


def absent(kind, language):
    """What a name is that only the original has."""
    if kind.startswith(("probe (kdebug", "探针 (kdebug")):
        return "an event that current records in the kernel's trace, with cf_trace" if language == "en" else "现行版用 cf_trace 记录到内核跟踪里的事件"
    if kind.startswith(("probe (dtrace), test", "探针 (dtrace)，测试")):
        return "in the original: tells whether this dtrace probe is in use" if language == "en" else "原版：判断这个 dtrace 探针有没有在用"
    return kind and (f"in the original: {kind}" if language == "en" else f"原版：{kind.replace('，这里调用', '，由它调用')}")


def members():
    """The public declarations of the Swift layer by the names of their cards: where each is, and what its comment says. Of the same name, the loop's own counts."""
    found = {}
    for each in sorted(declarations.swift(), key=lambda each: (each.owner != "RunLoop", each.owner.startswith("Notification"), each.owner)):
        found.setdefault(each.card, []).append({"here": [{"path": each.symbol.path, "line": each.symbol.line}], "owner": each.owner.rpartition(".")[2], "en": first_of(each.text),
                                                "zh": first_of(translations().get((each.owner, each.anchor), ""))})
    return found


def first_of(comment):
    """The first sentence of a doc comment."""
    return tables.plain(definitions.first_sentence(re.sub(r"(?<=[^\x00-\x7f])\n", "", comment.split("\n\n")[0]).replace("\n", " ")))


@lru_cache(None)
def layer(language):
    """What the table of the layer above says of a Mac's names, which are not in code there."""
    found = defaultdict(list)
    for row in annotations.rows(language):
        if not row.is_item and len(row.cells) == 3 and "here" in row.heads[1:2] + ["here"] * (row.heads[1] == "这里") and "Mac" in row.heads[0] + " ":
            for name in re.split(r", |、", row.cells[0].replace("`", "")):
                found[name.strip()] += [cell for cell in row.cells[1:] if cell]
    return found


def is_said(cell):
    """Whether a cell says something: no verdict, version, place, step, or ids alone."""
    rest = re.sub(rf"\[[\w.]*\](?:\([^)]*\)|\[[^\]]*\])?|`[\w-]+`|\b(?:same|adapted|absent|ours)\b(?:: [^|]*)?|{tables.ID}\b|[✓–,;、；. \d]|\b(?:steps?|before|after|around)\b|步骤|第|步", "", cell["text"])
    return cell["head"] not in ("step", "步骤") and bool(rest)


def sentence(text, language):
    """A text with a point and, in English, with a capital letter. A name keeps its letters."""
    first = re.match(r"[a-z]+(?= |$)", text) if language == "en" else None
    return point(text[:1].upper() + text[1:] if first else text, language)


def row_of(line, language):
    """The cells of a row of a table: what it is about, and what is said of it."""
    first, *rest = filter(None, documents.cells_of(line))
    return first + (": " if language == "en" else "：") + ("; " if language == "en" else "；").join(rest) if rest else first


def said_of(text, language):
    """What the articles say, ask or have in their code, before what is so."""
    code, is_question = re.match(r"In its code[^:]*: |代码[^：]*：", text), text.endswith(("?", "？"))
    if language == "en":
        return f"{'An article has this code' if code else 'An article asks' if is_question else 'Articles say'}: {text[code.end() if code else 0:]} In fact: "
    return f"{'文章的代码' if code else '文章问' if is_question else '文章说'}：{text[code.end() if code else 0:]}其实：".replace("？其实：", "？")


def point(text, language):
    text = text.rstrip()
    return text if text.endswith((".", "。", "!", "?", "？", "…", ":", "：")) else text + ("." if language == "en" else "。")


def spellings(word):
    """The words of a cell of the glossary: 登记表（全局字典） is two, signal (a source) two, claim, verdict two."""
    for part in re.split(r", |、", word):
        yield re.sub(r"[（(].*?[）)]", "", part).strip()
        if inner := re.search(r"（(.*?)）", part):
            yield inner[1]
        if "(" in part:
            yield part


def places_of(places):
    """Each place as its path and the text of its line, which the reader of the index looks for: lines move more often than they change. The number says which of
    the lines with this text it is."""
    return "¦".join(place_of(place["path"], place["line"]) for place in places[:3])


def place_of(path, line):
    lines = definitions.lines_of(path)
    text = re.split(r"\s{2,}|\t", lines[line - 1].strip())[0]
    return f"{path}#{sum(text in other for other in lines[:line])}#{text}"


@lru_cache(None)
def translations():
    """The Chinese doc comments by their types or headers, and the anchors there."""
    return {(path.stem, match[1]): match[2].strip() for path in sorted(tables.API.glob("*/*.md"))
            for match in re.finditer(r"^## (.+?) <!-- \w{8} -->\n((?:(?!## .* <!-- \w{8} -->$).*\n?)*)", path.read_text(encoding="utf-8"), re.M)}
