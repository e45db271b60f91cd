"""Work in processes of its own, which share what has been read when they begin: what takes long and needs no pages, and the pages of one language beside the other's."""

import multiprocessing
from multiprocessing import connection

from facts import Failure

FORK = multiprocessing.get_context("fork")
_begun = {}  # work: its process


def begin(work, *arguments):
    """Begins what leaves its results in files. If it fails, so does the one who waits for it and does it again."""
    process = FORK.Process(target=_attempt, args=(work, *arguments), daemon=True)
    process.start()
    _begun[work] = process


def wait(work):
    """Waits until this work is done, if it was begun; in any process but its own."""
    if work in _begun:
        connection.wait([_begun[work].sentinel])


def beside(work, other):
    """Does both at the same time, the second in a process of its own, and returns what that returns."""
    receiver, sender = FORK.Pipe(duplex=False)
    FORK.Process(target=lambda: sender.send(_attempt(other)), daemon=True).start()
    sender.close()
    work()
    found = receiver.recv()
    if isinstance(found, Failure):
        raise found
    return found


def _attempt(work, *arguments):
    try:
        return work(*arguments)
    except Failure as failure:
        return failure
