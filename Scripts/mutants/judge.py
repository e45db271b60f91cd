"""Scripts/mutate-loop random SEED COUNT [WORD]: breaks single statements and conditions of the loop's own C files at random, and sees who notices.

COUNT mutants are drawn by the seed: a statement is deleted, a condition negated, a comparison swapped, && and || exchanged, or a literal changed. The
same seed, count and sources give the same mutants. With WORD, only those whose line contains it are tried. A mutant that does not compile, or of which
the compiler makes the same code, is none, and another one is drawn.

Each mutant runs until somebody notices:

  1. the C tests that take less than a quarter of a second, those first that noticed most so far
  2. Conformance simulate, unless the file is below the loop, where the simulated kernel has its own
  3. the other C tests
  4. the tests of the first part under AddressSanitizer, which also sees leaks, and UndefinedBehaviorSanitizer

Who notices fails twice in a row, or does not end in time, and then passes without the mutant. A case that fails or is slow without it is named, and
left out from then on.
Scripts/mutants/known.tsv names mutants that nobody can notice, with the reason. Exit status 1 if more than three in a hundred others survive.

It builds with clang in .build/random-mutants, at a low priority, and changes none of your files.
"""

import collections
import concurrent.futures
import contextlib
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time

from . import ROOT
from .statements import files

WORK = ROOT / ".build/random-mutants"
KNOWN = ROOT / "Scripts/mutants/known.tsv"
SKIPPED = 77  # the exit status of a case that cannot run here
WORKERS = 3  # most cases wait
LIMIT = 20  # seconds for a case, and less if it was quick before; without a mutant it has to take a third of that
QUICK = 0.25  # seconds
SIMULATED = "60000"  # programs
MOST_SURVIVORS = 3  # in a hundred
INCLUDES = ["Sources/CRunLoop/include", "Sources/CRunLoopDiagnostics/include", "Programs/CRunLoopModel/include",
            "Programs/CRunLoopTable/include", "Programs/Conformance"]
FLAGS = ["-std=gnu17", "-fblocks", "-fPIC", "-fno-omit-frame-pointer", "-Wno-everything", "-Werror=return-type", *("-I" + path for path in INCLUDES)]


def run(*words, **more):
    return subprocess.run(words, cwd=WORK, stdin=subprocess.DEVNULL, capture_output=True, text=True, **more)


class Program:
    """A program of several C files, of which some contain the library: those are compiled again for each mutant."""

    def __init__(self, name, flags, libraries, patterns):
        self.path, self.flags, self.libraries = WORK / name, flags, libraries
        self.sources = [str(path.relative_to(WORK)) for pattern in patterns for path in sorted(WORK.glob(pattern))]

    def object(self, source):
        return f"{self.path}.objects/{source.replace('/', '-')}.o"

    def compile(self, source, to=None):
        """What the compiler says if it refuses."""
        result = run("clang", *FLAGS, *self.flags, "-c", source, "-o", to or self.object(source))
        return result.stderr if result.returncode else ""

    def link(self):
        swift = shutil.which("swift") or sys.exit("mutate-loop: there is no swift in PATH")
        libraries = os.path.join(os.path.dirname(os.path.realpath(swift)), "../lib/swift/linux")
        result = run("clang", *self.flags, *map(self.object, self.sources), "-o", str(self.path), "-L" + libraries, "-Wl,-rpath," + libraries,
                     "-ldispatch", "-lBlocksRuntime", "-lm")
        if result.returncode: sys.exit("mutate-loop: " + result.stderr)

    def build(self):
        os.makedirs(f"{self.path}.objects", exist_ok=True)
        headers = max(path.stat().st_mtime for path in WORK.rglob("*.h"))
        for source in self.sources:
            made = os.path.getmtime(self.object(source)) if os.path.exists(self.object(source)) else 0
            if source not in self.libraries and made > max(headers, os.path.getmtime(WORK / source)): continue  # of an earlier call
            if words := self.compile(source): sys.exit("mutate-loop: " + words)
        self.link()

    def rebuild(self):
        """With the mutant that stands in the sources."""
        for source in self.libraries: self.compile(source)
        self.link()

    def library_code(self):
        with open(self.object(self.libraries[0]), "rb") as file: return file.read()


class Cases:
    """The cases of CTests: each is a process."""

    def __init__(self, program, scale):
        self.program, self.whole = str(program.path), f"{program.path}.whole"
        shutil.copy(self.program, self.whole)
        self.environment = {**os.environ, "CTESTS_TIME_SCALE": scale, "ASAN_OPTIONS": "detect_leaks=1", "LSAN_OPTIONS": "print_suppressions=0"}
        self.names = [line.split("\t")[0] for line in run(self.whole, "list").stdout.splitlines()]
        self.found, self.seconds = collections.Counter(), collections.Counter()
        self.noticed, self.running, self.lock = None, set(), threading.Lock()

    def passes(self, program, name):
        """Whether the case passes; true as well once another case has noticed the mutant."""
        start = time.monotonic()
        with self.lock:
            if self.noticed: return True
            process = subprocess.Popen([program, "case", name], cwd=WORK, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       env=self.environment, start_new_session=True)
            self.running.add(process)
        try: status = process.wait(min(LIMIT, 5 + 8 * self.seconds[name]) if name in self.seconds else LIMIT)
        except subprocess.TimeoutExpired: status = None
        with self.lock: self.running.discard(process)
        self.end(process)
        process.wait()
        if status == 0: self.seconds[name] = time.monotonic() - start
        return status in (0, SKIPPED) or bool(self.noticed)

    def end(self, process):
        """Ends the case, and what it has started."""
        with contextlib.suppress(ProcessLookupError): os.killpg(process.pid, signal.SIGKILL)

    def try_case(self, name):
        if self.passes(self.program, name) or self.passes(self.program, name): return
        if not self.passes(self.whole, name) or self.seconds[name] > LIMIT / 3:
            self.names.remove(name)
            print(f"left out, because it fails or is slow without a mutant: {name}")
            return
        with self.lock:
            if self.noticed: return
            self.noticed = name
            self.found[name] += 1
            for process in self.running: self.end(process)

    def quick(self):
        return [name for name in self.names if self.seconds[name] < QUICK]

    def notice(self, among=lambda name: True):
        """The case, among these, that notices the mutant that is built, or None."""
        self.noticed = None
        order = sorted((name for name in self.names if among(name)), key=lambda name: (-self.found[name], self.seconds[name]))
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool: list(pool.map(self.try_case, order))
        return self.noticed


class Judge:
    def __init__(self):
        os.nice(10)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for folder in "Sources", "Programs", "Tests": shutil.rmtree(WORK / folder, ignore_errors=True)
        for path in ("Sources", "Programs", "Tests/CTests"): shutil.copytree(ROOT / path, WORK / path)
        if not (WORK / "Documentation").exists(): (WORK / "Documentation").symlink_to(ROOT / "Documentation")  # cases read programs there
        tests, library = ["Tests/CTests/*.c"], ["Tests/CTests/Library.c", "Tests/CTests/SimulationTests.c"]  # on Linux, and on the simulated kernel
        # A variable that a mutant leaves unset is zero in one and large in the other.
        self.plain = Program("CTests", ["-O0", "-DDEBUG=1", "-DCF_CHECK_LOCKS", "-ftrivial-auto-var-init=zero"], library, tests)
        sanitizers = ["-fsanitize=address,undefined,float-cast-overflow,float-divide-by-zero", "-fno-sanitize-recover=all"]  # as Scripts/sanitize
        self.checked = Program("CheckedCTests", ["-O0", "-DDEBUG=1", "-DCF_CHECK_LOCKS", *sanitizers, "-ftrivial-auto-var-init=pattern"], library, tests)
        self.simulation = Program("Conformance", ["-O1"], ["Programs/Conformance/Simulated.c"], [
            "Programs/Conformance/*.c", "Programs/Conformance/Scenarios/*.c", "Programs/CRunLoopTable/*.c", "Programs/CRunLoopModel/*.c",
            "Sources/CRunLoop/CRunLoop.c"])
        for program in self.plain, self.checked, self.simulation: program.build()
        shutil.copy(self.simulation.path, f"{self.simulation.path}.whole")
        self.plain_code = self.plain.library_code()
        self.fast = Program("Fast", ["-O2"], library, [])
        os.makedirs(f"{self.fast.path}.objects", exist_ok=True)
        self.fast.compile(library[0])
        self.fast_code = self.fast.library_code()
        self.cases, self.checked_cases = Cases(self.plain, "1"), None

    def is_mutant(self):
        """Whether what stands in the sources compiles, to other code."""
        return not self.plain.compile(self.plain.libraries[0]) and self.plain.library_code() != self.plain_code

    def simulation_fails(self, program):
        try: return run(program, "simulate", "1", SIMULATED, timeout=300).returncode != 0
        except subprocess.TimeoutExpired: return True

    def noticed_by(self, mutant):
        """Who notices, "" if nobody does, or None if the compiler makes the same code of it, with optimizations."""
        self.plain.rebuild()
        before = dict(self.cases.seconds)  # so that a case is in one of the two parts
        if name := self.cases.notice(lambda name: before.get(name, 0) < QUICK): return name
        if self.is_same_when_fast(): return None
        if "Kernel/" not in mutant.path:
            self.simulation.rebuild()
            program = str(self.simulation.path)
            if self.simulation_fails(program) and self.simulation_fails(program) and not self.simulation_fails(program + ".whole"):
                return "Conformance simulate"
        if name := self.cases.notice(lambda name: before.get(name, 0) >= QUICK): return name
        if not self.checked_cases:
            self.checked_cases = Cases(self.checked, "4")
            self.checked_cases.names = self.cases.quick()
        self.checked.rebuild()
        if name := self.checked_cases.notice(): return name + " (sanitizers)"
        return ""

    def is_same_when_fast(self):
        self.fast.compile(self.fast.libraries[0])
        return self.fast.library_code() == self.fast_code

    def judge(self, mutant):
        """Who notices, "" if nobody does, or None if it is no mutant."""
        place = WORK / mutant.path
        original = place.read_text(encoding="utf-8")
        place.write_text(mutant.applied(original), encoding="utf-8")
        try:
            if not self.is_mutant(): return None
            return self.noticed_by(mutant)
        finally: place.write_text(original, encoding="utf-8")


def known(name=KNOWN.name):
    """The reasons of known.tsv, by function, statement, and what becomes of it."""
    lines = [line.split("\t") for line in (KNOWN.parent / name).read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return {tuple(line[:3]): line[3] for line in lines[1:]}


def check(places, name=KNOWN.name):
    """Whether each row of known.tsv has a mutant of today's sources."""
    mutants, rows = {(mutant.function, mutant.before, mutant.after) for place in places for mutant in place}, known(name)
    stale = [row for row in rows if row not in mutants]
    for row in stale: print(f"mutate-loop: {name} names a mutant that the sources do not have:", *row, sep="\n    ", file=sys.stderr)
    print(f"mutate-loop: {len(rows)} mutants are in {name}, {len(stale)} of them out of date")
    return 1 if stale else 0


def drawn(seed, places):
    """All mutants, one after another in the order of the seed, the places of a mutant first once each."""
    dice = random.Random(int(seed))
    places = [list(place) for place in places]
    while places:
        dice.shuffle(places)
        for place in places: yield place.pop(dice.randrange(len(place)))
        places = [place for place in places if place]


def main(arguments, places, make_judge, name=KNOWN.name, usage=__doc__):
    if arguments == ["--check"]: return check(places, name)
    if len(arguments) not in (2, 3) or not all(map(str.isdecimal, arguments[:2])): sys.exit(usage.strip())
    seed, count, word = arguments[0], int(arguments[1]), "".join(arguments[2:])
    sys.stdout.reconfigure(line_buffering=True)
    reasons, judge, tried, noticed, named = known(name), make_judge(), 0, 0, 0
    print(f"seed {seed}")
    for number, mutant in enumerate(drawn(seed, places)):
        if tried == count or word and number >= 2 * count: break
        if word not in str(mutant): continue
        who = judge.judge(mutant)
        if who is None: continue
        tried += 1
        reason = reasons.get((mutant.function, mutant.before, mutant.after))
        if who: noticed += 1
        elif reason: named += 1
        print("noticed   " if who else "known     " if reason else "SURVIVED  ", mutant, f"  [{who or reason}]" if who or reason else "", sep="")
    others = tried - noticed - named
    print(f"\nseed {seed}: {noticed} of {tried} mutants are noticed, {100 * noticed / max(tried, 1):.1f} %; {named} known ones are not, and {others} others")
    return 1 if others * 100 > tried * MOST_SURVIVORS else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], [place for file in files() for place in file.places], Judge))
