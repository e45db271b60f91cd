"""How the index reads a text: its words and characters, the key that spellings share, what stands around code, words without their endings, and how far one is from another. The same is in
Edition/edition/static/index.js."""

import re
from functools import lru_cache

TOKEN = re.compile(r"[a-z0-9](?:[a-z0-9_]*[a-z0-9])?|[\u4e00-\u9fff]")
FRAME = re.compile(r"^\d+\s+\S+\s+0x[0-9a-fA-F]+\s+", re.A)
MANGLED = re.compile(r"_ZN?K?(\d.*)", re.A)  # a function of C++, as the linker spells it
COMMENT = re.compile(r"(^|[^:])//.*|/\*.*?\*/")
DEFINES = re.compile(r"\s*(?:what (?:is|are|does|do)(?: (?:an?|the))? (.+?)(?: mean| do| for)?(?: (?:in|of) (?:an? |the )?(?:run ?loop|(?:NS|CF)?RunLoop))?|(?:how do(?:es)?|explain)(?: (?:an?|the|your))? (.+?)(?: works?)?|(?:什么是|什么叫)(.+?)|(?:请|先)?(?:谈谈|讲讲|说说|聊聊|(?:谈|讲|说|聊|解释|介绍)一下|解释|介绍)(?!一下)(?:你)?(?:对)?(.+?)(?:的(?:(?:工作|底层|实现|运行)?(?:原理|机制)|理解|认识|了解|看法))?|(.+?)的(?:工作|底层|实现|运行)?(?:原理|机制)|(.+?)(?:的(?:本质|概念|定义|含义))?(?:到底|究竟)?(?:是(?:个|一个)?(?:什么|啥)(?:东西|意思)?|(?:什么|啥)意思|指什么))\s*[?？.。]*\s*", re.I)
PARTICLES = set("的了是在么吗会个这那我你就都也还把被要有为和与一不用到让对中里上下时")  # two characters are no word if one of them is such
CONTROL = ("if", "else", "while", "do", "for", "switch", "return")  # words that call nothing


def tokens(text):
    """The words and the Chinese characters of a text, in lower case and without underscores at their ends. With each word: how many brackets are open; = and ; open one, too.
    A word of a selector keeps its colon."""
    text, depth, end = text.lower(), 0, 0
    for match in TOKEN.finditer(text):
        depth += sum((mark in "([{=;") - (mark in ")]}") for mark in text[end:match.start()])
        end = match.end()
        has_colon = text[end:end + 1] == ":" != text[end + 1:end + 2] and "a" <= match[0][0] <= "z"
        yield match[0] + ":" * has_colon, depth


@lru_cache(None)
def fold(text):
    """The key of a name or of words: no case, spaces, punctuation, or underscores at the ends of words."""
    return "".join(word for word, _ in tokens(text))


def thing(text):
    """The key of the thing of which somebody asks what it is; empty, if nobody does."""
    match = DEFINES.fullmatch(text)
    return fold(match[match.lastindex]) if match else ""


def code(text):
    """A text without what stands around code: comments that follow more than a brace or a word as do, ; at the ends, the number, image and address before a frame, the : after it,
    and the brackets of a pointer to a function or to a block. A mangled name as C++ spells it."""
    text = re.sub(r"(`\w+):$", r"\1", FRAME.sub("", text), flags=re.A)
    if mangled := MANGLED.match(text):
        rest, names = mangled[1], []
        while length := re.match("L?([0-9]+)", rest):  # L: of a static function
            start, end = length.end(), length.end() + int(length[1])
            names, rest = [*names, rest[start:end]], rest[end:]
        text = "::".join(names)
    bare = COMMENT.sub(lambda match: match[1] or "", text).strip("; ")
    return re.sub(r"\([*^]([A-Za-z0-9_]+)\)", r"\1", bare if {word for word, _ in tokens(bare)} - {*CONTROL} else text.strip("; "))


@lru_cache(None)
def stem(word):
    """A word without its ending: stop for stops, stopped and stopping. A word of a selector has no colon."""
    word = word.rstrip(":")
    if not re.fullmatch("[a-z]{4,}", word):
        return word
    word = re.sub(r"(?<=...)(?:ing|ed|(?<!s)s)$", "", word)
    return re.sub("e$", "", re.sub("(?:ie|y)$", "i", re.sub(r"([bdgmnprt])\1$", r"\1", word)))


def distance(one, other):
    """The number of characters to insert, delete or replace to turn one word into the other."""
    row = list(range(len(other) + 1))
    for number, letter in enumerate(one, 1):
        diagonal, row[0] = row[0], number
        for column, wanted in enumerate(other, 1):
            diagonal, row[column] = row[column], min(diagonal + (letter != wanted), row[column] + 1, row[column - 1] + 1)
    return row[-1]
