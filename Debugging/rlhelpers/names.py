"""Swift's names as the tour prints them, such as Tour.timerFired(): no modules, no types. Without swift-demangle they stay mangled."""

import os
import re
import shutil
import subprocess

from .debugger import Problem
from .words import say

MOST_STOPS = 20  # a name of more functions, such as init, is too short
known = {}       # mangled → readable


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


def functions_named(name, mangled):
    """Those of the mangled names that the reader means. Tour.timerFired(), Tour.timerFired and timerFired mean the same."""
    if translator() is None:
        raise Problem(say("Swift's names cannot be read without swift-demangle, which is neither in PATH nor beside swift.",
                          "没有 swift-demangle 就认不出 Swift 的名字：它既不在 PATH 里，也不在 swift 旁边。"))
    pattern = re.compile(r"(?:(?:static|specialized) )*(?:\S*\.)?%s(?:\(\S*\))?" % re.escape(name))
    found = [one for one, shown in zip(mangled, readable(mangled)) if pattern.fullmatch(shown)]
    found = [one for one in found if not (one.endswith("To") and one.removesuffix("To") in found)]  # a function's entry for C
    if not found:
        raise Problem(say("This program has no Swift function %s. If the compiler has inlined it, as in release builds, set a breakpoint at its line.",
                          "这个程序没有 Swift 函数 %s。如果它被编译器内联了（release 构建常常如此），请在它的某一行设断点。") % name)
    if len(found) > MOST_STOPS:
        raise Problem(say("%d Swift functions are called %s; write the type before it, as in Tour.timerFired.",
                          "有 %d 个 Swift 函数叫 %s；请在前面写上类型，例如 Tour.timerFired。") % (len(found), name))
    return found
