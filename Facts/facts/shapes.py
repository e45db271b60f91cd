"""What a pasted listing does, if it has one of the known shapes: shapes.tsv. Edition/edition/static/listing.js has the same rule."""

import re

from . import tables

PRINT = re.compile(r"CFRunLoop\w* *(?:0x|[{>])|^\s*\d+\s+\S+\s+0x", re.M)  # a printed loop, a stack
LISTING = re.compile(r"\n|[;{].*[;}]")  # more than a line, or than a statement


def of(text):
    """The row of the first shape that fits a listing."""
    if not LISTING.search(text.strip()) or PRINT.search(text):
        return None
    return next((row for row in tables.rows("shapes") if all(re.search(pattern, text) for pattern in patterns(row)) and not (row["none"] and re.search(row["none"], text))), None)


def patterns(row):
    return row["all"].split(" && ")
