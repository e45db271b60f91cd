"""Links to play.html, which carry a program and the moment that the page shows first.

    site.href(play.address(program))            the program, at its beginning
    site.href(play.address(program, line=3))    when the third line of its log has just been written
    site.href(play.address(program, seed=7))    the order of the threads that this seed gives

The text of the program is in the fragment, as forms encode it, so the link works from file:// and in every version of the edition. A moment that
the reader links to is the number of a statement (`at`), which holds as long as the loop's code stays the same.
"""

from urllib.parse import parse_qs, urlencode

PAGE = "play.html"


def address(program, *, line=None, at=None, seed=None):
    """The address of a program on the page. `line` counts the log from 1."""
    fields = {"program": program, "line": line, "at": at, "seed": seed or None}
    return f"{PAGE}#{urlencode({key: value for key, value in fields.items() if value is not None})}"


def answers(fragment):
    """Whether the page's script answers a fragment: it has a program, and numbers."""
    fields = parse_qs(fragment)
    return "program" in fields and all(value[0].isdigit() for key, value in fields.items() if key != "program")
