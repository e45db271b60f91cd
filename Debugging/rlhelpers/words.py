"""The language of what the helpers print."""

import os

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
    language = name


def say(english, chinese=None, into=None):
    """A text in the reader's language, or in this one. The places for values, such as %s, are the same in both; %.0s takes a value that
    Chinese does not show. Scripts/check-debugger-words finds a text without Chinese."""
    return chinese if chinese and (into or language) == "zh" else english
