"""Swift's names as the tour prints them, such as Tour.timerFired(): no modules, no types. Without swift-demangle they stay mangled."""

import os
import shutil
import subprocess

known = {}  # mangled → readable


def is_mangled(name):
    return bool(name) and name.startswith("$s")


def readable(names):
    """The names, readable. One call of swift-demangle translates all that are new."""
    new = list({name for name in names if is_mangled(name) and name not in known})
    if new:
        known.update(zip(new, translated(new)))
    return [known.get(name, name) for name in names]


def translated(names):
    tool = translator()
    if tool is None:
        return names
    try:
        done = subprocess.run([tool, "--simplified"], input="\n".join(names), capture_output=True, encoding="utf-8", timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return names
    # "@objc" marks a function's entry for C, which has nothing to do with Objective-C here.
    lines = [line.removeprefix("@objc ") for line in done.stdout.splitlines()]
    return lines if len(lines) == len(names) else names


def translator():
    """The path of swift-demangle, in PATH or beside the swift that PATH leads to; None if there is none."""
    if tool := shutil.which("swift-demangle"):
        return tool
    swift = shutil.which("swift")
    return shutil.which("swift-demangle", path=os.path.dirname(os.path.realpath(swift))) if swift else None
