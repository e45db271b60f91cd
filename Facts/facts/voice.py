"""`python3 -m facts.voice`: finds the sentences that a newcomer has to read twice: longer than 40 words, with more than two colons and semicolons, or with a phrase of which nothing in the sentence says what it
means. It looks at the English prose of the documents, of the doc comments of the products, of Facts/notes.tsv and of Facts/map.tsv; and in Chinese at phrases alone. A sentence that has to stay as it is stands in Facts/voice.tsv. That list only
shrinks: it may have MOST rows, and a row that is not needed any more is named."""

import re
import sys

from . import declarations, documents, tables

LONGEST, MARKS = 40, 2
MOST = 0
#: Documents that quote, list or record, and are not prose.
SKIPPED = re.compile(r"CHANGELOG|SECURITY|Documentation/Reference/(?:api\.zh/|articles|corrections|differences|claims)")
PHRASES = re.compile(r"\b(?:the look|looks once more|(?:run|loop|record|pass) around(?! \w)|there neither|here neither|is no (?:descriptor|mode|string|method|way)|of its own accord|so is\b(?! the| it)|a relative|with words|in words|"
                     r"[Ii]t is so|to be had|lest|anew|likewise|for good|kin|bell|[Nn]o more do|by hand|are told|is told to|under our hands)\b")
CHINESE = re.compile("不等于留着|因此而算|的六行|归宿|不听|错过了拖动|客户(?!端)")
END = re.compile(r"(?<=[.!?])[\"”’)*]*\s+(?=[“\"(\[*`‘]*[A-Z_`])")


def sentences(text):
    """The sentences of a paragraph, as they are read: a name, a link and a piece of code are a word each."""
    text = re.sub(r"`[^`]*`", "CODE", re.sub(r"\[((?:[^\[\]]|\[\])*)\](?:\([^)]*\)|\[[^\]]*\])?", r"\1", text))
    return [part.strip() for part in END.split(re.sub(r"[*]", "", text)) if part and part.strip()]


def texts():
    """(document, line, text) of all prose."""
    for path in documents.paths():
        if SKIPPED.match(path):
            continue
        for section in documents.read(path).sections:
            for part in section.parts:
                if part.kind in ("paragraph", "item") and not part.is_generated and not part.text.startswith("!["):  # no picture
                    yield path, part.line, named_off(part.text)
    for declaration in declarations.every():
        for part in re.split(r"\n\n|\n(?= *- )", declaration.text):
            if not part.startswith(("    ", "```")):
                yield declaration.symbol.path, declaration.symbol.line, " ".join(part.split())
    for table, column in (("notes", "note"), ("map", "what")):
        for row in tables.rows(table):
            for language in ("", " in Chinese"):
                yield f"Facts/{table}.tsv" + (".zh." if language else ""), 0, row[column + language]


def named_off(text):
    """An item without the names in bold at its beginning, and what stands in brackets behind them."""
    return re.sub(r"^\*\*[^*]+\*\*(?: ?[(（][^)）]*[)）])?[:：,，]? ?", "", text)


def faults():
    """(path, line, sentence, what is wrong) of each sentence."""
    for path, line, text in texts():
        if ".zh." in path:
            if match := CHINESE.search(text):
                yield path, line, text, f"“{match[0]}”"
            continue
        for sentence in sentences(text):
            words, marks = len(re.findall(r"[\w’']+(?:[-./][\w’']+)*", sentence)), len(re.findall(r"[:;](?=\s|$)", sentence.rstrip(":;")))
            if words > LONGEST:
                yield path, line, sentence, f"{words} words"
            if marks > MARKS:
                yield path, line, sentence, f"{marks} colons and semicolons"
            if match := PHRASES.search(sentence):
                yield path, line, sentence, f"“{match[0]}”"


def main():
    allowed, found = {(row["document"], row["begins"]) for row in tables.rows("voice")}, []
    used = set()
    for path, line, sentence, why in faults():
        key = (path, " ".join(sentence.split()[:6]))
        used.add(key) if key in allowed else found.append(f"{path}:{line}: {why}: {sentence[:110]}")
    for path, begins in sorted(allowed - used):
        print(f"Facts/voice.tsv: {path}: “{begins}” is not needed any more: remove the row, and lower MOST")
    if len(allowed) > MOST:
        found.append(f"Facts/voice.tsv has {len(allowed)} rows, and may have {MOST}")
    print("\n".join(found) if found else f"the sentences are short; {len(allowed)} may stay as they are")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
