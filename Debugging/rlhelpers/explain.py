"""rl-explain: what answers a name, a call, a word, a claim or a question, as RunLoopLab explain says it."""

from . import words
from .debugger import Problem
from .words import say

from facts import Failure, explain as answers  # steps.py has said where


def explain(phrase):
    """The lines of rl-explain: a sentence, the card's parts, and the other cards that answer."""
    if not phrase:
        raise Problem(say("Name what to explain: a function, a call, a word, a question, or an id such as D13.",
                          "请写出要解释的东西：函数、调用、术语、问题，或 D13 这样的编号。"))
    try:
        (_, sentence), *parts = answers.reply(phrase, words.language)[0]
    except (OSError, Failure) as error:
        raise Problem(say("The index cannot be made: %s.", "无法生成索引：%s。") % error) from None
    mark = "：" if any("\u4e00" <= character <= "\u9fff" for character in phrase) or words.language == "zh" else ": "
    return [sentence, *("  " + head + mark * bool(head) + text for head, text in parts)]
