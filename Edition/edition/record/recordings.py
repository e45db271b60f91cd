"""The recordings: their programs in Edition/edition/record/programs, and the schedules by which their threads run."""

from .record import before


class Order:
    """One order in which the threads run."""

    def __init__(self, recording, order, schedule):
        self.name, self.threads, self.stops = recording.name, recording.threads, recording.stops
        self.order, self.schedule = order, schedule


class Recording:
    """`stops` are functions of the program that the recorder stops in, because a library without lines calls them."""

    def __init__(self, name, threads=(), orders=None, stops=()):
        self.name, self.threads, self.stops = name, list(threads), list(stops)
        self.orders = [Order(self, order, schedule) for order, schedule in (orders or {"": alone}).items()]


def alone(run):
    run.until("main")


def asleep_first(run):
    """The main thread goes on until it sleeps; then the others run, one after the other."""
    run.until("main")
    for name in run.recording.threads:
        run.until(name)


def two_dispatches(run):
    run.until("main")
    run.until("worker", before("CFRunLoopSourceSignal(touch)"))
    run.until("main")
    run.until("worker")


def two_stops(run):
    run.until("main")
    run.until("stopper", before("CFRunLoopStop(loop)", "stopper", 2))
    run.until("main")
    run.until("stopper")


def scrolls(run):
    run.until("main")
    run.until("finger", before("sleep(8)"))
    run.until("main")    # performs touch, and sleeps in the nested run
    run.until("finger")  # sleeps
    run.wait_for("finger")
    run.until("finger")


def sender_when(text, function, about_to_sleep=False, halfway=None):
    """The sender runs when the main thread is about to run this line; in a pass that will sleep, if the line is in every pass. `halfway` is a
    line and its function: there the sender stops, the main thread goes on until it sleeps or its part is over, and then the sender goes on."""
    def schedule(run):
        is_there = before(text, function)
        run.until("main", lambda line: (not about_to_sleep or line.locals.get("poll") == "false") and is_there(line))
        if halfway:
            run.until("sender", before(*halfway))
            run.until("main")
        run.until("sender")
    return schedule


WORST = {
    "before-clear": sender_when("__CFRunLoopUnsetIgnoreWakeUps(rl);", "__CFRunLoopRun"),
    "after-clear": sender_when("if (sourceHandledThisLoop && stopAfterHandle) {", "__CFRunLoopRun"),
    "after-look": sender_when("CFRUNLOOP_STEP(rl, rlm, 7);", "__CFRunLoopRun", True),
    "unlocked": sender_when("__CFRunLoopServiceMachPort(waitSet, &livePort", "__CFRunLoopRun", True),
    "at-wait": sender_when("return epoll_wait(set->epoll", "__CFPortSetEpollWait", True),
    "asleep": asleep_first,
    "half-signal": sender_when("CFRUNLOOP_STEP(rl, rlm, 7);", "__CFRunLoopRun", True, ("atomic_fetch_add(&__CFSignals, 1)", "CFRunLoopSourceSignal")),
    "half-wake": sender_when("__CFRunLoopUnsetIgnoreWakeUps(rl);", "__CFRunLoopRun", halfway=("CFRL_DONT_WAKEUP(rl)", "CFRunLoopWakeUp")),
}

RECORDINGS = [
    Recording("idle-pass"),
    Recording("source0", ["sender"], {"": asleep_first}),
    Recording("timer-with-tolerance"),
    Recording("source1", ["writer"], {"": asleep_first}),
    Recording("main-queue", ["worker"], {"": two_dispatches}, stops=["serveFirst", "serveSecond"]),
    Recording("perform-block", ["queuer"], {"": asleep_first}),
    Recording("nested-stop", ["stopper"], {"": two_stops}),
    Recording("mode-switch", ["finger"], {"": scrolls}),
    Recording("common-modes"),
    Recording("worst-moment", ["sender"], WORST),
]
