"""What the programs of the documents say, Facts/says.tsv: a Chinese document has the same program as the English one, and it says the same in Chinese.

Both are programs in their own right, and the tests perform both, so the log below each is the loop's own.
"""

import re
from functools import lru_cache

from . import Failure, tables

SAY = re.compile(r'\bsay "([^"]*)"')
LINE = re.compile(r"^(\d+\.\d{3} \S+ +)(.+)$", re.M)


@lru_cache(None)
def _table():
    return {row["words"]: row["words in Chinese"] for row in tables.rows("says")}


def chinese(text):
    """A program, or a log, as the Chinese document has it."""
    table = _table()
    if unknown := [words for words in SAY.findall(text) if words not in table]:
        raise Failure(f"Facts/says.tsv has no row for what a program says: {', '.join(unknown)}")
    text = SAY.sub(lambda said: f'say "{table[said[1]]}"', text)
    return LINE.sub(lambda line: line[1] + table.get(line[2], line[2]), text)
