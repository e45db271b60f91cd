"""The doc comments in Chinese: Documentation/Reference/api.zh, a file for each Swift type and for each C header.

An entry is a heading with the name of the declaration, the key of the English comment, and the translation:

    ## add(_:forMode:) <!-- 1a2b3c4d -->
    把 Timer 加到一个 mode。

The second declaration of a name in the same type is add(_:forMode:)-2. Headings within a translation have no key. The key is the beginning of the SHA-1 of the English comment. So a
translation whose English comment has changed is stale. One language is enough on a branch: until somebody translates, the cards show the translation of the old comment, or the English one.

`PYTHONPATH=Facts python3 -m facts.api_zh [NAME ...]` prints the entries that are missing or stale, with the English text to translate.
`--check` only says which these are, and which cards of the index open with an English sentence, and fails if an entry belongs to no declaration. `--check --strict` fails if anything is
to be translated.
"""

import hashlib
import re
from dataclasses import dataclass, field

from . import ROOT, Failure, declarations, index

FOLDER = "Documentation/Reference/api.zh"
COMMAND = "PYTHONPATH=Facts python3 -m facts.api_zh"
HEADING = re.compile(r"## (.+?) <!-- ([0-9a-f]{8}) -->$")


@dataclass
class Entry:
    """A translation: of the declaration with this anchor, from the English comment with this key."""
    name: str
    line: int
    key: str = ""
    lines: list = field(default_factory=list)

    @property
    def text(self):
        return "\n".join(self.lines).strip()


def pages():
    """The file of each type's and each header's translations, and what is to be translated there: anchor → declarations.Declaration."""
    found = {}
    for declaration in declarations.every():
        found.setdefault(file_of(declaration), {})[declaration.anchor] = declaration
    return found


def file_of(declaration):
    return f"{FOLDER}/{'Swift' if declaration.is_swift else 'C'}/{declaration.owner}.md"


def key(declaration):
    """What a translation says of the comment that it was made from."""
    return hashlib.sha1((declaration.text + declaration.members).encode()).hexdigest()[:8]


def load():
    """The translations by their files and anchors; and what is still to be translated, a line for each. Fails if a file or an entry belongs to nothing."""
    found, wrong, open_ones, known = {}, [], [], pages()
    for path in sorted((ROOT / FOLDER).glob("*/*.md")):
        if (file := str(path.relative_to(ROOT))) not in known:
            wrong.append(f"{file}: there is no {'header' if path.parent.name == 'C' else 'type'} '{path.stem}'; rename the file, or remove it")
    for file, comments in known.items():
        entries, misses = read(file)
        wrong += misses
        for name, entry in entries.items():
            if name not in comments:
                wrong.append(f"{file}:{entry.line}: this type or header has no declaration '{name}' with a comment; rename the entry, or remove it")
                continue
            if entry.key != key(comments[name]):
                open_ones.append(f"{file}:{entry.line}: the English comment of '{name}' ({comments[name].place}) has changed; "
                                 f"bring the translation up to date, then write <!-- {key(comments[name])} --> behind its name")
            elif not is_translated(entry, comments[name]):
                open_ones.append(f"{file}:{entry.line}: '{name}' is not translated")
            found[file, name] = entry
        open_ones += [f"{comment.place}: the comment of '{name}' has no translation in {file}; '{COMMAND} {_page(file)}' prints what to add there"
                      for name, comment in comments.items() if name not in entries]
    if wrong:
        raise Failure("Chinese doc comments that belong to no English ones:\n  " + "\n  ".join(wrong))
    return found, open_ones


def read(file):
    """The entries of a file by their names, and what is wrong with its form. A heading with a key begins an entry."""
    entries, misses, entry = {}, [], None
    path = ROOT / file
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    for number, line in enumerate(lines, 1):
        if match := HEADING.match(line):
            entry = Entry(match[1], number, match[2])
            if entry.name in entries:
                misses.append(f"{file}:{number}: this is the second entry for '{entry.name}'; remove one")
            entries[entry.name] = entry
        elif not entry:
            if line.strip():
                misses.append(f"{file}:{number}: this text belongs to no entry; an entry begins with '## NAME <!-- KEY -->'")
        else:
            entry.lines.append(line)
    return entries, misses


def is_translated(entry, comment):
    return bool(entry.text) and entry.text not in (comment.text.strip(), comment.text.strip() + comment.members)


def skeleton(names):
    """The entries of these types and headers, or of all, that are missing or stale, as the files have them, with the English text and, if stale, the present translation."""
    known = {_page(file): (file, comments) for file, comments in pages().items()}
    if unknown := [name for name in names if name not in known]:
        raise Failure(f"there is no type and no header '{unknown[0]}'")
    out = []
    for file, comments in [known[name] for name in names or known]:
        entries, _ = read(file)
        open_ones = {name: comment for name, comment in comments.items() if name not in entries or entries[name].key != key(comment) or not is_translated(entries[name], comment)}
        if open_ones:
            out.append(f"# {file}\n")
        for name, comment in open_ones.items():
            out.append(f"## {name} <!-- {key(comment)} -->\n{comment.text.strip()}{comment.members}\n")
            if name in entries and is_translated(entries[name], comment):
                out.append(f"{entries[name].text}\n")
    return "\n".join(out)


def english_cards():
    """The cards of the index whose sentence in Chinese is the English one, because nobody has translated it, a line for each. A section of a document may be the same in both languages."""
    cards = ((name, index.index().card(name)) for name in index.index().card_names)
    return [f"{card['here'].partition('#')[0]}: '{name}' has no sentence in Chinese: {card['sentence']} Add a row to Facts/names.tsv"
            for name, card in cards if not re.search(r"#|\.h\.", name) and not re.search("[\u4e00-\u9fff]", card["sentence in Chinese"])]


def _page(file):
    """The type or the header of a file."""
    return file.rpartition("/")[2].removesuffix(".md")


def _main():
    import argparse
    import sys
    parser = argparse.ArgumentParser(prog=COMMAND, description="Prints the Chinese doc comments that are missing or stale, with the English text to translate.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these types and headers: RunLoop.Source, CFRunLoop.h")
    parser.add_argument("--check", action="store_true", help="only say what is to be translated; fail if an entry belongs to nothing")
    parser.add_argument("--strict", action="store_true", help="with --check: fail if anything is to be translated")
    options = parser.parse_args()
    try:
        if not options.check:
            print(skeleton(options.names), end="")
            return 0
        _, open_ones = load()
        count, cards, english = len(declarations.every()), len(index.index().card_names), english_cards()
        print("".join(f"to translate: {line}\n" for line in open_ones + english)
              + f"{count - len(open_ones)} of {count} doc comments, and {cards - len(english)} of {cards} cards, are in Chinese")
        return 1 if options.strict and open_ones + english else 0
    except Failure as failure:
        sys.exit(str(failure))


if __name__ == "__main__":
    raise SystemExit(_main())
