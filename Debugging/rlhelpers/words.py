"""The language of what the helpers print. The English is in the code; its Chinese is in zh.py."""

import os

from . import zh
from .debugger import Problem

LANGUAGES = "en", "zh"


def of_environment():
    """The language of the first variable that is set, as for other programs."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if os.environ.get(name):
            return "zh" if os.environ[name].startswith("zh") else "en"
    return "en"


language = of_environment()


def choose(name):
    global language
    if name not in LANGUAGES:
        raise Problem(say("%s is no language of these commands; they know %s.") % (name, " ".join(LANGUAGES)))
    language = name


def say(text, into=None):
    """A text in the reader's language, or in this one. Its places for values, such as %s, are the same in both."""
    return zh.TABLE[text] if (into or language) == "zh" and text in zh.TABLE else text
