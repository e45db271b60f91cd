"""Scripts/mutate-loop random-swift SEED COUNT [WORD]: breaks single statements and conditions of the Swift layer at random, and sees who notices.

COUNT mutants are drawn by the seed: a call or an assignment is deleted, a condition negated, a comparison swapped, && and || exchanged, or a literal
changed. With WORD, only those whose line contains it are tried. A mutant that does not compile is none, and another one is drawn. Kinds of changes of
which nobody sees anything are not drawn: NO_BREAK below.

The classes of Tests/SwiftTests run until one fails, first that of the file's noun, then those that noticed most so far; without CTest and those that
build programs. Who notices fails or does not end in time, twice in a row, because once may be a busy machine, and then passes without the mutant.
swift-known.tsv names mutants that nobody can notice, with the reason. Exit status 1 if more than three in a hundred others survive.

It builds a package of the products and their tests alone in .build/swift-mutants, at a low priority, and changes none of your files.
"""

import collections
import concurrent.futures
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time

from . import ROOT
from .judge import main
from .statements import NO_CODE, Mutant, on_one_line, other_values

WORK = ROOT / ".build/swift-mutants"
MODULES = ["SwiftRunLoop", "SwiftRunLoopAsync", "SwiftRunLoopFoundation"]
#: Those that build programs.
LEFT_OUT = ["AsyncMainTests", "CompileTests", "CTest", "ExamplesTests", "HeaderCompileTests", "PlugInTests"]
WORKERS = 3  # most tests wait
TARGETS = """package.targets += [
    .target(name: "TestSupport", dependencies: ["SwiftRunLoop", "CRunLoop"], path: "Tests/TestSupport"),
    .testTarget(name: "SwiftTests", dependencies: ["SwiftRunLoop", "SwiftRunLoopAsync", "SwiftRunLoopFoundation", "RunLoopDiagnostics", "CRunLoop", "TestSupport"]),
    .executableTarget(name: "SwiftChildren", dependencies: ["SwiftRunLoopAsync", "SwiftRunLoopFoundation", "RunLoopDiagnostics"], path: "Tests/Programs/SwiftChildren"),
]
"""

FUNCTION = re.compile(r"\b(?:func\s+(\w+)|(init|deinit)\b|var\s+(\w+)[^=]*\{|extension\s+(\w+)|class\s+(?!func|var)(\w+)|struct\s+(\w+))")
#: A line that is a statement by itself: a call or an assignment.
CALL = re.compile(r"(?:try[?!]? |_ = |unsafe |await )*[A-Za-z_][\w.?!]*(?:\(.*\))?(?:[\w.?!]|\(.*\)|\[.*\])*\(.*\)$")
ASSIGNMENT = re.compile(r"(?:self\.)?[A-Za-z_][\w.?!]*(?:\[[^\]]*\])?\s*[-+]?=\s*[^=].*$")
KEYWORD = re.compile(r"(?:let|var|return|throw|if|guard|else|for|while|repeat|switch|case|default|defer|do|func|init|super\.init|precondition|require|assert|import|extension|typealias|throw)\b|preconditionFailure|writeToStandardError")
CONDITION = re.compile(r"\b(?:if|while|guard) ([^{]*?)(?= \{| else \{)")
TOKEN = re.compile(r"(?<= )(?:==|!=|<=|>=|<|>|&&|\|\|)(?= )|\b(?:true|false)\b|(?<![\w.\[$#])\d+(?:\.\d+)?(?![\w.\]])")

#: Changes that are no breaks, each with what stands in braces where the change is.
NO_BREAK = re.compile("|".join([
    r"(?:capacity|byteCount|alignment): \{|byteCount: \d+ << \{|repeating: \d+, count: \{",  # more memory than is used
    r"repeating: \{",  # memory that is written before it is read
    r"lastNumber = \{|lastNumber \+= \{1→2\}",  # numbers that tell what came later have only to grow
    r"(?:[sS]econds|secondsLeft|interval|Date\(\)) \{(?:<→<=|<=→<|>→>=|>=→>)\}",  # two times are equal by chance
    r"swift_demangle\(.*\{|TimerCreate\(nil, time, interval, \{|sem_init\(semaphore, \{",  # flags that are not read, or not by one process
    r"(?:number|opened|descriptor) (?:\{(?:<→<=|>=→>)\} 0|(?:<|>=) \{0→1\})",  # no descriptor that the library makes is a standard one
    r"line\.oldest \{<→<=\}",  # no two calls have the same number
    r"version: \{0→1\}, .*describeInfo\)$",  # observers and timers have no other version
]))
#: Lines of which no change is one: this condition tells when memory is moved.
NO_LINE = re.compile(r"if first == calls\.count ")
#: Deletions that are none: what these functions give back is nothing on Linux, and no test makes the system refuse.
NO_DELETION = re.compile(r"unsafe (?:sem|pthread_attr)_destroy\(|fatalError\(\"The system ")


def closed(text):
    return all(text.count(a) == text.count(b) for a, b in ("()", "[]", "{}"))


def mutants_of(path):
    """The places of a file that can be broken, each a list of its mutants."""
    text = path.read_text(encoding="utf-8")
    code = NO_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    name, start = "", 0
    for number, line in enumerate(code.splitlines(keepends=True), 1):
        if match := FUNCTION.search(line): name = next(filter(None, match.groups()))
        indent, bare = len(line) - len(line.lstrip()), line.strip()
        changes = []
        if bare and not bare.startswith(("@", "#", "public init", "case ", "//")) and not re.search(r"\b(?:precondition|require)\b", bare) and not NO_LINE.match(bare):
            if closed(bare) and not KEYWORD.match(bare) and not NO_DELETION.match(text, start + indent) \
                    and (CALL.fullmatch(bare) or ASSIGNMENT.fullmatch(bare)):
                changes.append((start + indent, start + indent + len(bare), "", "(nothing)"))
            for match in CONDITION.finditer(line):
                if match[1].strip() and not re.search(r"\b(?:let|var|case)\b|#available", match[1]) and not re.search(r", ", re.sub(r"\([^()]*\)", "", match[1])):
                    first, last = start + match.start(1), start + match.end(1)
                    changes.append((first, last, f"!({text[first:last]})", None))
            for token in TOKEN.finditer(line):
                if "func " in line and "= " not in line: continue
                changes += [(start + token.start(), start + token.end(), value, None) for value in other_values(token[0])
                            if not NO_BREAK.search(f"{line[:token.start()]}{{{token[0]}→{value}}}{line[token.end():].rstrip()}")]
        if changes:
            before, end = on_one_line(text[start:start + len(line)]), start + len(line)
            yield [Mutant(path.relative_to(ROOT).as_posix(), number, name, first, last, new, before, after or on_one_line(text[start:first] + new + text[last:end]))
                   for first, last, new, after in changes]
        start += len(line)


def places():
    return [place for module in MODULES for path in sorted((ROOT / "Sources" / module).rglob("*.swift")) if path.name != "OnDarwin.swift"
            for place in mutants_of(path)]


class Judge:
    def __init__(self):
        os.nice(10)
        for folder in "Sources", "Tests": shutil.rmtree(WORK / folder, ignore_errors=True)
        for folder in "Sources", "Tests/TestSupport", "Tests/SwiftTests", "Tests/Programs/SwiftChildren": shutil.copytree(ROOT / folder, WORK / folder)
        for name in LEFT_OUT: (WORK / f"Tests/SwiftTests/{name}.swift").unlink()
        manifest = (ROOT / "Package.swift").read_text(encoding="utf-8")
        (WORK / "Package.swift").write_text(re.sub(r"package\.targets \+= \[.*?\n\]\n", lambda _: TARGETS, manifest, flags=re.S), encoding="utf-8")
        support = WORK / "Tests/TestSupport/Ahead.swift"  # nothing runs beside
        support.write_text(re.sub(r"allTestsRun = .*", "allTestsRun = false", support.read_text(encoding="utf-8"), count=1), encoding="utf-8")
        if not self.build(): sys.exit("mutate-loop: " + self.log)
        self.whole, self.program = WORK / "whole", WORK / "mutant"
        built = WORK / ".build/debug"
        self.bundle, self.children = built / "RunLoopPackageTests.xctest", built / "SwiftChildren"
        for folder in self.whole, self.program: folder.mkdir(exist_ok=True)
        self.copy_to(self.whole)
        listed = subprocess.run([self.bundle, "--list-tests"], capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout
        self.classes = sorted(set(re.findall(r"SwiftTests\.(\w+)/", listed)))
        self.found, self.seconds = collections.Counter(), {}
        for name in list(self.classes):
            start = time.monotonic()
            if not self.passes(self.whole, name):
                print(f"left out, because it fails without a mutant: {name}")
                self.classes.remove(name)
            self.seconds[name] = time.monotonic() - start

    def copy_to(self, folder):
        for path in self.bundle, self.children:
            (folder / path.name).unlink(missing_ok=True)  # a run that was ended may have left a test of its own running
            shutil.copy(path, folder)

    def build(self):
        result = subprocess.run(["swift", "build", "--build-tests", "--package-path", WORK], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        self.log = result.stdout + result.stderr
        return result.returncode == 0

    def passes(self, folder, name):
        process = subprocess.Popen([folder / self.bundle.name, f"SwiftTests.{name}"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, start_new_session=True)
        try: return process.wait(15 + 4 * self.seconds.get(name, 12)) == 0
        except subprocess.TimeoutExpired: return None
        finally:
            with contextlib.suppress(ProcessLookupError): os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def notices(self, name):
        return not self.passes(self.program, name) and not self.passes(self.program, name) and self.passes(self.whole, name)

    def noticed_by(self, mutant):
        noun = mutant.path.rsplit("/", 1)[1].removesuffix(".swift")
        order = sorted(self.classes, key=lambda name: (not name.startswith(noun), -self.found[name], self.seconds[name]))
        if self.notices(order[0]): found = order[0]
        else:
            found = ""
            with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
                for first in range(1, len(order), WORKERS):
                    some = order[first:first + WORKERS]
                    if found := next((name for name, is_noticed in zip(some, pool.map(self.notices, some)) if is_noticed), ""): break
        if found: self.found[found] += 1
        return found

    def judge(self, mutant):
        """Who notices, "" if nobody does, or None if it is no mutant."""
        place = WORK / mutant.path
        original = place.read_text(encoding="utf-8")
        place.write_text(mutant.applied(original), encoding="utf-8")
        try:
            if not self.build(): return None
            self.copy_to(self.program)
            return self.noticed_by(mutant)
        finally: place.write_text(original, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], places(), Judge, "swift-known.tsv", __doc__))
