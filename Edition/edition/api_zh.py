"""The doc comments in Chinese: Documentation/Reference/api.zh, a file for each Swift type and for each C header.

An entry is a heading with the anchor that the declaration has on its page, the key of the English comment, and the translation:

    ## add(_:forMode:) <!-- 1a2b3c4d -->
    把 Timer 加到一个 mode。

Headings within a translation have no key. The key is the beginning of the SHA-1 of the English comment. So a translation whose English comment has changed is stale.
One language is enough on a branch: until somebody translates, the site shows the translation of the old comment, or the English one.

`PYTHONPATH=Edition:Scripts python3 -m edition.api_zh [NAME ...]` prints the entries that are missing or stale, with the English text to translate.
`--check` only says which these are, and which cards of the index open with an English sentence, and fails if an entry belongs to no declaration. `--check --strict` fails if anything is
to be translated. Both need the built Swift layer (swift build); `--c` looks at the headers alone.
"""

import hashlib
import re
from dataclasses import dataclass, field

from . import declarations
from facts import Failure, index

FOLDER = "Documentation/Reference/api.zh"
COMMAND = "PYTHONPATH=Edition:Scripts python3 -m edition.api_zh"
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


def c_pages(root):
    """The file of each header's translations, and the comments to translate: anchor → declarations.Comment."""
    pages = {}
    for path in sorted(str(path.relative_to(root)) for path in (root / declarations.HEADERS).glob("*.h")):
        if declarations.is_public_header(path):
            header = declarations.header(root, path)
            entries = [entry for _, _, entries in header["groups"] for entry in entries]
            pages[c_file(header)] = _with_text([(header["name"], header["comment"]), *((entry["anchor"], entry["comment"]) for entry in entries)])
    return pages


def swift_pages(root, build):
    """The same for each Swift type, and for what stands outside of types."""
    types, functions = declarations.swift(root, build)
    pages = {swift_file(type): _with_text([(type["name"], type["comment"]), *((member["anchor"], member["comment"]) for _, members in type["groups"] for member in members)])
             for type in types}
    return pages | {FUNCTIONS: _with_text([(entry["anchor"], entry["comment"]) for entry in functions])}


def c_file(header):
    return f"{FOLDER}/C/{header['name']}.md"


def swift_file(type):
    return f"{FOLDER}/Swift/{type['name']}.md"


FUNCTIONS = f"{FOLDER}/Swift/functions.md"


def _with_text(comments):
    return {anchor: comment for anchor, comment in comments if comment.text.strip()}


def key(comment):
    """What a translation says of the comment that it was made from. The words of another module's comments change with the toolchain: there the name counts."""
    return hashlib.sha1((comment.foreign or comment.text + comment.members).encode()).hexdigest()[:8]


def load(root, pages, folders=("C", "Swift")):
    """The translations of these pages: (file, anchor) → declarations.Comment; and what is still to be translated, a line for each.
    Fails if a file or an entry belongs to nothing."""
    found, wrong, open_ones = {}, [], []
    for folder in folders:
        for path in sorted((root / FOLDER / folder).glob("*.md")):
            if (file := str(path.relative_to(root))) not in pages:
                wrong.append(f"{file}: there is no {'header' if folder == 'C' else 'type'} '{path.stem}'; rename the file, or remove it")
    for file, comments in pages.items():
        entries, misses = read(root, file)
        wrong += misses
        for name, entry in entries.items():
            if name not in comments:
                wrong.append(f"{file}:{entry.line}: no declaration on this page has the anchor '{name}' and a comment; rename the entry, or remove it")
                continue
            if entry.key != key(comments[name]):
                open_ones.append(f"{file}:{entry.line}: the English comment of '{name}' ({comments[name].place}) has changed; "
                                 f"bring the translation up to date, then write <!-- {key(comments[name])} --> behind its name")
            elif not is_translated(entry, comments[name]):
                open_ones.append(f"{file}:{entry.line}: '{name}' is not translated")
            found[file, name] = declarations.Comment(entry.text, file, entry.line)
        open_ones += [f"{comment.place}: the comment of '{name}' has no translation in {file}; '{COMMAND} {_page(file)}' prints what to add there"
                      for name, comment in comments.items() if name not in entries]
        found |= {(file, name): comment for name, comment in comments.items() if name not in entries}
    if wrong:
        raise Failure("Chinese doc comments that belong to no English ones:\n  " + "\n  ".join(wrong))
    return found, open_ones


def read(root, file):
    """The entries of a file by their names, and what is wrong with its form. A heading with a key begins an entry."""
    entries, misses, entry = {}, [], None
    path = root / file
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


def skeleton(root, pages):
    """The entries that are missing or stale, as the files have them, with the English text and, if stale, the present translation."""
    out = []
    for file, comments in pages.items():
        entries, _ = read(root, file)
        open_ones = {name: comment for name, comment in comments.items() if name not in entries or entries[name].key != key(comment) or not is_translated(entries[name], comment)}
        if open_ones:
            out.append(f"# {file}\n")
        for name, comment in open_ones.items():
            out.append(f"## {name} <!-- {key(comment)} -->\n{comment.text.strip()}{comment.members}\n")
            if name in entries and is_translated(entries[name], comment):
                out.append(f"{entries[name].text}\n")
    return "\n".join(out)


def english_cards():
    """The cards of the index whose sentence in Chinese is the English one, because nobody has translated it, a line for each."""
    cards = ((name, index.index().card(name)) for name in index.index().card_names())
    return [f"{card['here'].partition('#')[0]}: '{name}' has no sentence in Chinese: {card['sentence']} Add a row to Documentation/Data/internal-names.tsv, then run Scripts/index"
            for name, card in cards if not re.search("[\u4e00-\u9fff]", card["sentence in Chinese"])]


def _page(file):
    """The type or the header of a file."""
    return file.rpartition("/")[2].removesuffix(".md")


def _main():
    import argparse
    import sys
    from facts import ROOT
    parser = argparse.ArgumentParser(prog=COMMAND, description="Prints the Chinese doc comments that are missing or stale, with the English text to translate.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these types and headers: RunLoop.Source, functions, CFRunLoop.h")
    parser.add_argument("--check", action="store_true", help="only say what is to be translated; fail if an entry belongs to nothing")
    parser.add_argument("--strict", action="store_true", help="with --check: fail if anything is to be translated")
    parser.add_argument("--c", action="store_true", help="only the C headers, which need no build")
    parser.add_argument("--build", default=".build/debug", metavar="FOLDER", help="where the Swift layer is built; the default is .build/debug")
    options = parser.parse_args()
    try:
        pages = c_pages(ROOT) | ({} if options.c else swift_pages(ROOT, options.build))
        if options.check:
            _, open_ones = load(ROOT, pages, ("C",) if options.c else ("C", "Swift"))
            count, cards, english = sum(map(len, pages.values())), len(index.index().card_names()), english_cards()
            print("".join(f"to translate: {line}\n" for line in open_ones + english)
                  + f"{count - len(open_ones)} of {count} doc comments, and {cards - len(english)} of {cards} cards, are in Chinese")
            return 1 if options.strict and open_ones + english else 0
        known = {_page(file): file for file in pages}
        if unknown := [name for name in options.names if name not in known]:
            raise Failure(f"there is no type and no header '{unknown[0]}'")
        print(skeleton(ROOT, {known[name]: pages[known[name]] for name in options.names or known}), end="")
    except Failure as failure:
        sys.exit(str(failure))


if __name__ == "__main__":
    raise SystemExit(_main())
