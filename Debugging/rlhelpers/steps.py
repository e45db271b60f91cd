"""The ten steps, and what the functions in a stack do in them: the tables of Facts, in the reader's language."""

import os
import sys

from . import words

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Facts"))
from facts import tables  # noqa: E402
from facts.tables import ACTIVITIES, STEP_OF_ACTIVITY, step_markers  # noqa: E402, F401

STEPS = list(tables.steps())
CALLOUTS = list(tables.callouts())


def sentence_of_step(step):
    return tables.steps()[step].sentence[words.language]


def step_of(function):
    """The step of a function; None if it has several, or if the tables do not know it."""
    return tables.function(function).step if function else None


def word_of(callout):
    """The word of a callout for rl-next."""
    return tables.function(callout).callout


def sentence_of(function):
    return tables.function(function).sentence(words.language)


def called_out_to(callout):
    """What a callout calls, as it stands behind the words "to" or 回调."""
    text = sentence_of(callout)
    return " " + text if words.language == "zh" and text[0].isascii() else text


def is_of_the_loop(function):
    return bool(function) and tables.function(function).of == "loop"


def step_of_line(markers, line):
    """The step whose comment is the last one above a line."""
    return next((step for number, step in reversed(markers) if number <= line), None)


def sort_key(step):
    return [int(part) for part in step.split(".")]
