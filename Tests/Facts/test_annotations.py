"""ANNOTATIONS, its pages in Documentation/Reference, the four stories, the book and the code name the same things, in both directions. If you rename a function, add a field
or remove a test, these tests show which line of which document to change."""

import re
import subprocess
import sys
import tempfile
import unittest
from functools import lru_cache
from pathlib import Path

from facts import ROOT, annotations, book, cards, claims, definitions, documents, named, tables
from judging import EXPERIMENTS, FILE, SPAN, TESTS, DocumentTest, files, identifiers, items, spans, table, text_of

ANNOTATIONS = "ANNOTATIONS.md"
CLAIMS, CORRECTIONS, DIFFERENCES, STACKS = PAGES = [f"Documentation/Reference/{name}.md" for name in ("claims", "corrections", "differences", "stacks")]
ONE_PASS = "Documentation/Explanation/one-pass.md"
CHAPTERS = [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / book.FOLDER).glob("[1-9]-*.md")) if not path.name.endswith(".zh.md")]
STORIES = [ONE_PASS, *(f"Documentation/Explanation/{name}.md" for name in ("a-wake-up", "a-timer", "the-end-of-a-loop")), *CHAPTERS]
ALL = [ANNOTATIONS, *PAGES, *STORIES]
MAPPED = re.compile(r"2\.([1-8]|11) ")  # the sections of ANNOTATIONS that say how names relate to the original's


def all_words():
    """The words in the code of each file of the library, of sockets and of the loop that a reader writes, by the names of the files."""
    paths = annotations.source_files([definitions.LIBRARY, "Lab/CFSocket", "Programs/YourLoop"], (".c", ".h"))
    return {path.rpartition("/")[2]: set(definitions.words_of(path)) for path in paths}


WORDS = all_words()
SWIFT_FILES = annotations.source_files(["Sources", "Lab", "Bench"], (".swift",)) + ["Package.swift"]
SWIFT = [symbol for path in SWIFT_FILES for symbol in definitions.symbols_of(path)]


def is_declaration(symbol):
    return symbol.kind in ("prototype", "externvar")


def is_function(name):
    return any(symbol.kind == "function" for symbol in definitions.library().get(name, []))


def file_of(symbol):
    return symbol.path.rpartition("/")[2]


def is_defined(name, names):
    """Whether one of these files defines the name, or has a local variable of that name while no file defines it."""
    found = [symbol for symbol in definitions.library().get(name, []) if not is_declaration(symbol)]
    return any(file_of(symbol) in names for symbol in found) if found else any(name in WORDS.get(file, ()) for file in names)


def is_explained(symbol):
    """Whether a comment at one of the definitions and declarations of a name says what it is, or a table of Facts does; of a field, its own or that of its struct."""
    def is_said(symbol):
        if symbol.is_function:
            return bool(tables.about(symbol.name, "en"))
        owners = [owner for owner in definitions.library().get(symbol.scope, []) if symbol.kind == "member" and owner.kind in ("struct", "union")]
        return bool(definitions.comment_of(symbol)) or any(symbol.name in re.findall(r"\w+", definitions.comment_of(owner)) for owner in owners)
    return is_said(symbol) or symbol.kind != "member" and any(map(is_said, definitions.library()[symbol.name]))


class Entry:
    """What the documents say of a name: a row of the map, or one of its items that has a verdict in italics."""

    def __init__(self, row, names, state, text, step=""):
        self.line, self.names, self.state, self.headings, self.owner, self.step = row.line, names, state, row.headings, row.owner, step
        self.files = FILE.findall(text)  # those that must define the names


@lru_cache(None)
def entries():
    found = []
    for row in documents.read(ANNOTATIONS).rows():
        if row.is_item:
            if match := re.search(r"\*\*, \*(\w+)\*, ", row.introduction):
                found.append(Entry(row, SPAN.findall(row.cells[0]), match[1], row.introduction))
        elif row.headings[1:] and row.headings[1].startswith("2.") and (state := next((cell for cell in row.cells if cell in annotations.VERDICTS), None)):
            step = row.cells[row.heads.index("step")] if "step" in row.heads else ""
            found.append(Entry(row, SPAN.findall(row.cells[0]), state, " ".join(row.cells) + row.introduction, step))
    return found


class Readers(unittest.TestCase):
    def test_the_reader_of_c_and_swift_sees_what_is_there(self):
        def read(name, text):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / name
                path.write_text(text)
                return [" ".join([symbol.kind, symbol.name if symbol.kind not in ("func", "init") else definitions.signature(symbol), *[symbol.scope] * bool(symbol.scope)])
                        for symbol in definitions.symbols_of(str(path))]
        self.assertEqual(read("x.c", """\
#define LIMIT 3 // a comment with struct ghost { int none; };
typedef struct _record *RecordRef;
struct _record { int a, *b; _Atomic(uint32_t) c; void (*d)(int x); char e[3]; union { int f; long g; } h; };
enum { first = 1, second };
static _Atomic(Boolean) flag = false, *other;
CF_EXPORT int declared(int);
static __attribute__((noinline)) void defined(
    int x) { int inside; if (x) { call("} /* no comment */"); } }
"""), ["macro LIMIT", "typedef RecordRef", "struct _record", *(f"member {name} _record" for name in "abcdefgh"),
       "enumerator first", "enumerator second", "variable flag", "variable other", "prototype declared", "function defined"])
        self.assertEqual(read("x.swift", """\
func run(mode: Mode, before date: Date) -> Bool
func perform<T>(_ body: @escaping (Int, T) -> Void, on thread: Thread = .main)
convenience init?(at url: URL)
"""), ["func run(mode:before:)", "func perform(_:on:)", "init init(at:)"])

    def test_the_reader_of_the_lab_sees_an_experiment_in_one_language_and_in_two(self):
        """ANNOTATIONS and the index name the programs of the lab by it."""
        notice = '\n    notice: Text("""\n        The run "ends", \\\n        and so on.\n        """, "结束"))'
        for title, chinese in [('"A stop"', "A stop"), ('"A stop", "停止"', "停止")]:
            about = f'static let about = About(\n    name: "new", claims: ["L7", "X1"], group: .run,\n    title: Text({title}),'
            self.assertEqual(cards.about_of(about + notice), ("new", {"en": "A stop", "zh": chinese}, ["L7", "X1"], {"en": 'The run "ends", and so on.', "zh": "结束"}))

    def test_the_reader_of_names_sees_versions_and_systems(self):
        self.assertEqual(named.versions("_unused", "__CFRunLoop"), {"CF-855", "CF-1153"})
        self.assertEqual(named.versions("_unused", "__CFRunLoopMode"), set())
        self.assertEqual(named.versions("_unused", ""), set())
        self.assertIn("Linux build", named.versions("__CFRunLoopServiceFileDescriptors", ""))
        self.assertNotIn("Linux build", named.versions("_msgQMask", "__CFRunLoopMode"))

    def test_the_reader_of_steps_sees_which_step_a_call_is_in(self):
        self.assertEqual(steps_of("__CFRunLoopDoBlocks"), {"3", "4", "9"})
        self.assertEqual(steps_of("__CFRunLoopDoSource1"), {"9.3"})
        self.assertEqual(steps_of("__CFRunLoopHasNewWork"), {"7"})
        self.assertEqual(steps_of("__CFRunLoopIsStopped"), {"before 2", "7", "9"}, "in step 7 through __CFRunLoopHasNewWork")
        self.assertEqual(steps_of("__CFRunLoopRun"), {"1"})


class Map(DocumentTest):
    """From the document to the code."""

    def test_every_row_says_how_its_name_relates_to_the_originals(self):
        """A word that is none of the four would exclude its row from all checks here."""
        read = {entry.line for entry in entries()}
        for row in table(ANNOTATIONS):
            if len(row.headings) > 2 and MAPPED.match(row.headings[2]) and row.line not in read:
                self.miss(f"{row.cells[0]} is none of {', '.join(annotations.VERDICTS)}", ANNOTATIONS, row.line)

    def test_every_row_is_about_one_name_and_every_note_about_a_row(self):
        """One name a row of Facts/map.tsv. What ANNOTATIONS and Facts/notes.tsv tell is about names there."""
        for entry in entries():
            if len(entry.names) > 1:
                self.miss("one name a row", ANNOTATIONS, entry.line)
        known, lines = {name for entry in entries() for name in entry.names} | {row.cells[0].strip("`") for row in table(ANNOTATIONS)}, {entry.line for entry in entries()}
        for row in items(ANNOTATIONS):
            if len(row.headings) > 2 and MAPPED.match(row.headings[2]) and row.line not in lines:
                for name in SPAN.findall(row.cells[0]):
                    if name not in known:
                        self.miss(f"{name} is not in Facts/map.tsv", ANNOTATIONS, row.line)

    def test_what_is_there_is_in_the_file_that_the_row_names(self):
        checked = [(entry, name) for entry in entries() if entry.state != "absent" for name in entry.names]
        for entry, name in checked:
            where = entry.files + ["CFRunLoop_Internal.h"] * ("struct" in entry.headings[-1] or bool(entry.owner))
            if not is_defined((identifiers(name) or [name])[-1], where):
                self.miss(f"{name} is not in {', '.join(where)}", ANNOTATIONS, entry.line)
        self.assertGreater(len(checked), 280, "the map has been read")

    def test_what_is_absent_is_not_there(self):
        for entry in entries():
            # A field may be absent from one struct although another has one of that name.
            for name in (word for name in entry.names for word in identifiers(name)) if entry.state == "absent" else ():
                if found := [symbol for symbol in definitions.library().get(name, []) if symbol.kind != "macro" and entry.owner in ("", symbol.scope)]:
                    self.miss(f"{name} is there after all, in {file_of(found[0])}", ANNOTATIONS, entry.line)

    def test_every_row_of_a_struct_is_about_a_field_of_it(self):
        checked = [(entry, name) for entry in entries() if entry.state != "absent" and entry.owner for name in entry.names]
        for entry, name in checked:
            if not any(symbol.kind == "member" and symbol.scope == entry.owner for symbol in definitions.library().get(name, [])):
                self.miss(f"{name} is no field of {entry.owner}", ANNOTATIONS, entry.line)
        self.assertGreater(len(checked), 55)

    def test_every_verdict_is_true_of_the_original(self):
        """A verdict is about the original, so the original must have the name, or lack it. Facts/annotations writes in which versions."""
        self.assertGreater(len(tables.originals()), 500)
        checked = [(entry, identifiers(name)[-1]) for entry in entries() for name in entry.names if identifiers(name)]
        for entry, name in checked:
            having = named.versions(name, entry.owner)
            if entry.state == "ours" and having:
                self.miss(f"“ours”, but {name} is in {', '.join(sorted(having))}", ANNOTATIONS, entry.line)
            if entry.state != "ours" and not having:
                self.miss(f"“{entry.state}”, but no version has {name}", ANNOTATIONS, entry.line)
        self.assertGreater(len(checked), 300)

    def test_every_name_in_the_texts_is_one_of_the_code(self):
        file_names = {path.name for folder in ("Sources", "Programs", "Facts", "Lab", "Bench", "Tests", "Scripts", "Edition", "Debugging") for path in (ROOT / folder).rglob("*")}
        commands = {name for path in files("Debugging/rlhelpers", ".py") for name in re.findall(r'(?m)^@command\("(rl-[\w-]+)"', path.read_text())}
        declared, signatures = {symbol.name for symbol in SWIFT}, {definitions.signature(symbol) for symbol in SWIFT if symbol.kind in ("func", "init")}
        words = absent_names() | TESTS | set().union(*WORDS.values(), *map(definitions.words_of, SWIFT_FILES))
        for path in ALL:
            for line, text in spans(path):
                if text.rpartition("/")[2] in file_names or (ROOT / text).exists() or text in TESTS | EXPERIMENTS:
                    continue
                if re.fullmatch(r"\w+\((?:\w+:)*\)", text):
                    name = text.partition("(")[0]
                    if text not in signatures and name not in definitions.library() and not (name in declared and text.replace(name, "init", 1) in signatures):
                        self.miss(f"nothing is declared as {text}", path, line)
                elif text.startswith("rl-"):
                    if text.split()[0] not in commands:
                        self.miss(f"no debugger has a command {text.split()[0]}", path, line)
                elif not (" " in text and "/" in text or text.startswith(("--", "swift "))):  # no command
                    for name in identifiers(text):
                        if name not in words:
                            self.miss(f"there is no {name}, which stands in `{text}`", path, line)


def absent_names():
    """Names that ANNOTATIONS has because the code does not."""
    found = [name for entry in entries() if entry.state == "absent" for name in entry.names]
    for row in documents.read(ANNOTATIONS).rows():
        if row.headings[-1].startswith(("2.9",) if row.is_item else ("2.9", "2.10")):
            found.append(row.cells[0])
    return {word for text in found for word in identifiers(text)}


class Pages(DocumentTest):
    def test_the_generated_parts_are_those_that_the_script_writes(self):
        """The columns of the versions, the links of tests and ids, and where they lead."""
        result = subprocess.run([sys.executable, ROOT / "Facts/annotations", "--check"], capture_output=True, text=True, cwd=ROOT)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_no_row_is_wider_than_the_page(self):
        """The limits of a page on a code host: a table is as wide as the longest words of its columns, and a reader can take in a cell at a glance."""
        def shown(cell):
            return re.sub(r"\]\([^)]*\)|\]\[[^\]]*\]|[`*\[\]]", "", cell)
        for path in (path.replace(".md", ending) for path in ALL for ending in (".md", ".zh.md")):
            found = {}
            for row in table(path):
                if row.table:  # 0: of map.tsv
                    found.setdefault(row.table, []).append(row)
                    if (length := max(len(shown(cell)) for cell in row.cells)) > 200:
                        self.miss(f"a cell of {length} characters: put it below the table", path, row.line)
            for line, rows in found.items():
                columns = zip(rows[0].heads, *(row.cells for row in rows))
                width = sum(3 + max((len(word) for cell in column for word in re.split(r"[^\x21-\x7e]+", shown(cell))), default=0) for column in columns)
                if width > 150:
                    self.miss(f"the table is {width} characters wide: put the longest name below it", path, line)

    def test_the_map_stays_short(self):
        """It is a map: what needs more than a few sentences has a page of its own."""
        text = text_of(ANNOTATIONS)
        names = re.search(r"<!-- generated names(.|\n)*?```\n(.|\n)*?```\n", text)[0]
        self.assertGreater(names.count("\n"), 500, "the list of the names")
        prose = re.sub(r'^\| <a id=".*\n', "", text.replace(names, ""), flags=re.M)
        self.assertLessEqual(len(prose.split()), 5500, f"words in {ANNOTATIONS}, without the list of the names and the rows of the claims")

    def test_every_function_and_field_of_the_original_has_its_place(self):
        """A name that readers meet in the original's sources has its place here, too, or among the names that this project lacks."""
        kinds = {"function", "static function", "breakpoint function", "probe (dtrace)"} | {
            "field of " + name for name in ("__CFRunLoop", "__CFRunLoopMode", "__CFRunLoopSource", "__CFRunLoopObserver", "__CFRunLoopTimer", "_per_run_data")}
        names = [name for name, entries in tables.originals().items() if any({entry.kind, re.sub(r" \(.*\)$", "", entry.kind)} & kinds for entry in entries)]
        told = named_in([ANNOTATIONS]) | {word for _, text in spans(ANNOTATIONS) for word in identifiers(text)} | {word for row in items(ANNOTATIONS) for word in identifiers(row.cells[0])}
        self.assertGreater(len(names), 250)
        for name in sorted(set(names) - told):
            self.miss(f"{name}, which the original has, has no place in the document", ANNOTATIONS, 1)


def named_in(paths):
    """The names in code in the rows and items of documents, with the words of those."""
    texts = [text for path in paths for row in documents.read(path).rows() for text in ([row.introduction] if row.is_item else row.cells)]
    return {word for text in texts for name in SPAN.findall(text) for word in (name, *identifiers(name))}


class Code(DocumentTest):
    """From the code to the document: the names that readers of an article meet, those of the loop's own files and of its ports."""

    @staticmethod
    def defined(*kinds):
        files = re.compile(r"CFRunLoop.*\.c|CFRunLoop_Internal\.h|CFRunLoopProbes\.h|CFPort(?!Support\.h).*")
        return [symbol for symbols in definitions.library().values() for symbol in symbols if symbol.kind in kinds and files.fullmatch(file_of(symbol))]

    def miss_explanation(self, symbol):
        self.miss(f"no row of the map and no comment here says what {symbol.name} is", symbol.path, symbol.line)

    def test_every_function_that_the_files_of_the_run_loop_share_is_explained(self):
        """In the documents, or in a comment at its definition. A function that one file alone uses needs neither."""
        told = {word for path in ALL for _, text in spans(path) for word in identifiers(text)} | named_in([ANNOTATIONS]) | {
            word for row in table(ANNOTATIONS) for word in identifiers(row.cells[0])}
        declared = {name for name, symbols in definitions.library().items() if any(map(is_declaration, symbols))}
        functions = [symbol for symbol in self.defined("function", "variable") if symbol.name in declared or symbol.path.endswith(".h")]
        self.assertGreater(len(functions), 150)
        for symbol in functions:
            if symbol.name not in told and not is_explained(symbol):
                self.miss_explanation(symbol)

    def test_every_field_has_its_row_or_a_comment(self):
        fields = self.defined("member")
        self.assertGreater(len(fields), 80)
        told = {}
        for row in documents.read(ANNOTATIONS).rows():
            for owner in {field.scope for field in fields} - {""}:
                if f"`struct {owner}`" in row.headings[-1] or (f"struct {owner}`" in row.cells[0] if row.is_item else f"`{owner}`" in row.introduction):
                    told.setdefault(owner, set()).update(SPAN.findall(row.introduction if row.is_item else " ".join(row.cells)))
        for field in fields:
            if field.scope and field.name not in told.get(field.scope, ()) and not is_explained(field):
                self.miss_explanation(field)

    def test_the_fields_that_the_articles_quote_stand_in_their_order(self):
        """That is the order of the map. Those that are absent here are not among them."""
        quoted = {row["name"] for row in tables.rows("names") if row["articles"]}
        orders = {"_block_item": ["_next", "_mode", "_block"]}
        for row in tables.rows("map"):
            if row["owner"] and row["verdict"] != "absent" and (name := row["name"].strip("`")) in quoted:
                orders.setdefault(row["owner"], []).append(name)
        members = sorted(self.defined("member"), key=lambda field: field.line)
        for owner, order in orders.items():
            self.assertEqual([field.name for field in members if field.scope == owner and field.name in order], order, owner)


@lru_cache(None)
def steps_in_functions():
    """Of each function of CFRunLoop.c: the steps in it, from top to bottom, and the words of its code by the step that they are in; "" is outside of all. A step begins at its comment,
    and ends at the next one or at the end of its block."""
    found = {}
    for function in definitions.symbols_of(definitions.LIBRARY + "/CFRunLoop.c"):
        if function.kind != "function":
            continue
        markers, words, open_steps = [], {}, []
        for line in filter(str.strip, definitions.lines_of(function.path)[function.line:function.end - 1]):
            indent = len(line) - len(line.lstrip())
            if marker := tables.MARKER.match(line):
                open_steps = [each for each in open_steps if each[0] < indent] + [(indent, marker[1])]
                if not markers and "" in words:
                    words["before " + marker[1]] = words.pop("")
                markers.append(marker[1])
                continue
            open_steps = [each for each in open_steps if each[0] <= indent]
            words.setdefault(open_steps[-1][1] if open_steps else "", set()).update(definitions.WORD.findall(line.partition("//")[0]))
        found[function.name] = markers, words
    return found


def steps_of(function):
    """The steps in which the run itself, or a function that the run calls, calls a function."""
    found, seen, left = set(), {function}, [function]
    while left:
        name = left.pop()
        for caller, (_, words) in steps_in_functions().items():
            for step in (step for step, each in words.items() if name in each):
                if step:
                    found.add(step)
                elif caller not in seen:
                    seen.add(caller)
                    left.append(caller)
    return found


class Steps(DocumentTest):
    STEPS = list(tables.steps())

    def test_the_code_carries_the_ten_steps_in_their_order(self):
        self.assertEqual(len(self.STEPS), 13, "the ten, and three parts of step 9")
        self.assertEqual(steps_in_functions()["CFRunLoopRunSpecific"][0], ["1", "10"])
        self.assertEqual(steps_in_functions()["__CFRunLoopRun"][0], [step for step in self.STEPS if step not in ("1", "10")])

    def test_the_story_of_one_pass_tells_every_step(self):
        rows = table(ONE_PASS)
        told = [row for row in rows if row.cells[0]]
        for step, row in zip(["before", *self.STEPS, "after"], told):
            if row.cells[0] != step:
                return self.miss(f"the step {step} of one pass belongs here", ONE_PASS, row.line)
        if len(told) != len(self.STEPS) + 2:
            return self.miss(f"{len(told)} steps, and not {len(self.STEPS) + 2}", ONE_PASS, told[-1].line)
        for row in rows:
            for name in SPAN.findall(row.cells[1]):
                if not is_function(name):
                    self.miss(f"there is no function {name}", ONE_PASS, row.line)

    def test_every_name_that_the_stories_link_is_in_its_file(self):
        """A link from a name to a file leads to the file that has the name."""
        links = [(path, number, *match) for path in STORIES for number, line in enumerate(text_of(path).split("\n"), 1) for match in re.findall(r"\[`(\w+)`\]\[(\w+\.[ch])\]", line)]
        links = [link for link in links if link[2] not in TESTS]
        self.assertGreater(len(links), 10)
        for path, line, name, file in links:
            if not is_defined(name, [file]):
                self.miss(f"{name} is not in {file}", path, line)

    def test_the_map_tells_in_which_steps_a_function_is_called(self):
        """ "1 2 3", "before 2, 9"; a range such as "2–9" is no list of calls."""
        checked = 0
        for entry in entries():
            functions = [name for name in entry.names if is_function(name)]
            called = set().union(*map(steps_of, functions))
            if entry.state == "absent" or not entry.step or "–" in entry.step or not called:
                continue
            checked += 1
            if set(re.findall(r"(?:before |after )?\d+(?:\.\d)?", entry.step)) != called:
                self.miss(f"{', '.join(functions)}: called in {', '.join(sorted(called))}", ANNOTATIONS, entry.line)
        self.assertGreater(checked, 10)


def compared_stacks():
    """The stacks that Scripts/check-stacks compares with a debugger's; each frame has the names that it may have. A name in brackets may be missing, so such a stack is here with it and
    without it."""
    lines = text_of("Tests/Debugger/stacks.txt").splitlines()
    return [*_stacks(lines), *_stacks([line for line in lines if not line.startswith("    [")])]


def _stacks(lines):
    frames = {}
    for line in lines:
        if line.startswith(" "):
            frames[title].append(line[4:])
        elif line.endswith(":"):
            title = line[:-1]
            frames[title] = []
    def whole(title):
        return [frame for line in frames[title] for frame in (whole(line) if line.startswith("(") else [[name.partition("]")[0] for name in line.removeprefix("[").split("|")]])]
    return [whole(title) if " " in title else [[title], *whole(title)] for title in frames if not title.startswith("(")]


def is_part(names, stack):
    """Three dots stand for any frames: they match the remaining inner names."""
    for start in range(len(stack)):
        inner = stack[start] == ["..."]
        if start + len(names) <= len(stack) and all(name in frame for name, frame in zip(names[inner:], stack[start + inner:])):
            return True
    return False


class Stacks(DocumentTest):
    def test_the_stacks_are_those_that_the_debugger_shows(self):
        compared, groups = compared_stacks(), []
        self.assertGreater(len(compared), 15)
        for row in table(STACKS):
            if row.cells[0].startswith("#"):
                groups += [[]] * (row.cells[0] == "#0")
                groups[-1] = groups[-1] + [row]
        self.assertGreater(len(groups), 8)
        shown = [[found[0] for row in rows if (found := [name for name in SPAN.findall(row.cells[1]) if "(" not in name])] for rows in groups]
        code = documents.read(STACKS).code()
        nested = [match[1] for _, line in code if (match := re.fullmatch(r"\s+#\d+ +([\w.]+)", line))]
        self.assertGreater(len(nested), 10)
        for line, names in [*((rows[0].line, names) for rows, names in zip(groups, shown)), (next(number for number, line in code if "#0 " in line), nested)]:
            if not any(is_part(names, stack) for stack in compared):
                self.miss(f"no debugger is seen to show {' < '.join(names)}", STACKS, line)
        # None may be missing: the six callouts, the wait, the perform family, and the nested run (above).
        first = {next((name for name in names if name not in ("_dispatch_main_queue_callback_4CF", "CallQueue.makeCalls")), "") for names in shown}
        callouts = [name for name in definitions.library() if is_function(name) and re.search("_IS_CALLING_OUT_TO_|_IS_SERVICING_", name)]
        self.assertEqual(len(callouts), 6)
        for name in {*callouts, "epoll_wait", "__NSThreadPerformPerform", "__NSFireDelayedPerform"} - first:
            self.miss(f"no stack shows {name}", STACKS, 1)


class Ids(DocumentTest):
    OF_CLAIMS = list(claims.verdicts())
    OF_DIFFERENCES = [row["id"] for row in tables.rows("claims") if row["reason"]]
    #: The claims whose tests are those of the claims that they rest on.
    WITHOUT_TEST = {"O4", "O5", "O6", "X8", "A3", "A4", "A6", "A7", "A9", "A11"}
    #: The claims that need no program, because a program cannot show them.
    WITHOUT_PROGRAM = {"R5", "R7", "R8", "S4", "S5", "L8", "L9", "L10", "O2"}

    @staticmethod
    def evidence(id):
        """The items that say where the code and the tests of an id are, and the names in them."""
        found = [row for row in items(DIFFERENCES if id[0] == "D" else CLAIMS) if row.cells[0] == id]
        return found, [name for row in found for name in SPAN.findall(row.introduction)]

    @staticmethod
    def ids_in(name):
        """The ids that the name of a test carries."""
        return {part.removeprefix("test") for part in name.split("_")}

    def test_every_id_has_one_row_and_is_known_to_the_code(self):
        in_tests, rows = set().union(*map(self.ids_in, TESTS)), {}
        for row in table(ANNOTATIONS) + table(DIFFERENCES):
            if re.fullmatch(r"[A-Z]\d+", row.cells[0]):
                rows.setdefault(row.cells[0], []).append(row)
        self.assertGreater(len(self.OF_CLAIMS), 60)
        for id in self.OF_CLAIMS + self.OF_DIFFERENCES:
            home, page = (DIFFERENCES, DIFFERENCES) if id[0] == "D" else (ANNOTATIONS, CLAIMS)
            line = rows[id][-1].line if id in rows else 1
            if len(rows.get(id, [])) != 1:
                self.miss(f"the id {id} has {len(rows.get(id, []))} rows", home, line)
            found, names = self.evidence(id)
            if len(found) != 1:
                self.miss(f"the id {id} has no item with its tests in {page}, or several", home, line)
            if id not in in_tests and not TESTS & {*names}:
                self.miss(f"no test shows {id}", home, line)
        for id in rows.keys() - {*self.OF_CLAIMS, *self.OF_DIFFERENCES}:
            self.miss(f"what is {id}?", rows[id][0].document, rows[id][0].line)

    def test_every_difference_names_its_reason(self):
        """The reasons for which this loop may differ from the original."""
        for number, row in enumerate(tables.rows("claims"), 2):
            if row["reason"] not in (("Linux", "safety", "invisible") if row["id"][0] == "D" else ("",)):
                self.miss(f"{row['id']}: “{row['reason']}” is none of Linux, safety, invisible", "Facts/claims.tsv", number)

    def test_every_claim_names_a_test_that_carries_its_id(self):
        for row in (row for row in table(ANNOTATIONS) if row.cells[0] in self.OF_CLAIMS):
            tests = TESTS & {*self.evidence(row.cells[0])[1]}
            has_own = any(row.cells[0] in self.ids_in(test) for test in tests)
            if not tests:
                self.miss(f"{row.cells[0]} names no test", ANNOTATIONS, row.line)
            elif has_own == (row.cells[0] in self.WITHOUT_TEST):
                self.miss(f"{row.cells[0]} has a test of its own after all" if has_own else f"{row.cells[0]} names no test that carries its id", ANNOTATIONS, row.line)

    def test_every_claim_has_its_program(self):
        programs = [(name, about[2]) for name, about in cards.experiments("en").items()] + [("article " + row["item"], row["claims"].split()) for row in tables.rows("items")]
        for row in (row for row in table(ANNOTATIONS) if row.cells[0] in self.OF_CLAIMS):
            told, showing = {*SPAN.findall(row.cells[-1])}, {name for name, ids in programs if row.cells[0] in ids}
            if bool(told) == (row.cells[0] in self.WITHOUT_PROGRAM):
                self.miss(f"a program shows {row.cells[0]} after all" if told else f"no program shows {row.cells[0]}", ANNOTATIONS, row.line)
            if told != showing:
                self.miss(f"{row.cells[0]} is shown by {', '.join(sorted(showing))}", ANNOTATIONS, row.line)

    def test_ids_in_comments_have_their_rows(self):
        found = set()
        for path in files("Sources/CRunLoop", ".c", ".h") + [path for folder in ("Sources", "Programs", "Lab", "Bench") for path in files(folder, ".swift")]:
            for number, line in enumerate(path.read_text().splitlines(), 1):
                for group in re.findall(r"[\[(]([RSLITOXAD]\d+(?:[,–] ?[RSLITOXAD]\d+)*)[\])]", line):
                    for id in re.findall(r"\w+", group):
                        found.add(id)
                        if id not in self.OF_CLAIMS + self.OF_DIFFERENCES:
                            self.miss(f"what is {id}?", path.relative_to(ROOT), number)
        self.assertGreater(len(found), 40)


if __name__ == "__main__":
    unittest.main()
