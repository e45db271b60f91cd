"""rl-loops and rl-tree."""

from .debugger import Problem
from .loops import NEVER, NO_PORT, FLAG_DEALLOCATING, Clock, Loop, Observer, Source, Timer, loop_addresses
from .objects import hexadecimal
from .stacks import Stack
from .words import say

MOST_SHOWN = 50  # items of one kind in one mode; the others are only counted


def thread_in_words(loop):
    thread = loop.thread()
    if thread is None:
        return say("thread unknown (pthread %s)", "未知线程（pthread %s）") % hexadecimal(loop.get("_pthread"))
    return say("thread %d", "线程 %d") % thread.number + (' "%s"' % thread.name if thread.name else "")


def state_in_words(loop):
    """What the loop's thread is doing in it, from its stack or, if that does not show it, from the loop."""
    mode, thread = loop.current_mode, loop.thread()
    stack = Stack(loop.objects, thread) if thread else None
    if mode is None:
        return host_in_words(stack) if loop.get("_hostedModes") else say("does not run", "没有运行")
    where = stack.where() if stack else None
    where = where or (say("asleep (step 7)", "休眠（步骤 7）") if loop.is_asleep else say("awake", "醒着"))
    return say("in %s: %s", "在 %s 里：%s") % (mode.name, where)


def host_in_words(stack):
    """What the thread of an embedded loop is doing outside all runs."""
    wait = stack.wait_of_host() if stack else None
    if wait:
        return say("embedded in another event loop: asleep in its host's %s", "嵌在另一个事件循环里：在宿主的 %s 里休眠") % wait
    return say("embedded in another event loop: does not run", "嵌在另一个事件循环里：没有运行")


def loops(objects):
    """The lines of rl-loops."""
    lines = []
    found = loop_addresses(objects)
    for address in found:
        try:
            loop = Loop(objects, address)
            thread = loop.thread()
            mark = "*" if thread and thread.is_selected else " "
            main = say(" (main)", "（主线程）") if loop.is_main else ""
            lines.append("%s %s  %s%s  %s" % (mark, loop, thread_in_words(loop), main, state_in_words(loop)))
        except Problem as problem:
            lines.append("  %s  (%s)" % (hexadecimal(address), problem))
    lines.append(say("%d loop%s; * marks the selected thread's.",
                     "%d 个 RunLoop%.0s；* 标出所选线程的那个。") % (len(found), "" if len(found) == 1 else "s"))
    return lines


# rl-tree

def tree(loop):
    """The lines of rl-tree. In place of a part that cannot be read there is the reason."""
    clock = Clock(loop)
    main = say(" (main)", "（主线程）") if loop.is_main else ""
    lines = [say("CFRunLoop %s, %s%s", "CFRunLoop %s，%s%s") % (loop, thread_in_words(loop), main)]
    guarded(lines, 1, lambda: [state_in_words(loop)])
    guarded(lines, 1, lambda: runs_in_words(loop))
    guarded(lines, 1, lambda: [say("common modes: %s", "commonModes：%s") % ", ".join(loop.common_modes())])
    guarded(lines, 1, lambda: items(say("common mode items", "commonModeItems"), loop.common_items(),
                                    lambda item: item_in_words(loop.objects, item, clock)))
    guarded(lines, 1, lambda: blocks(say("blocks for the common modes", "等待 commonModes 的 block"), loop.blocks_for("kCFRunLoopCommonModes")))
    try:
        modes = loop.modes()
    except Problem as problem:
        return lines + [say("  modes: (%s)", "  mode：（%s）") % problem]
    for mode in modes:
        guarded(lines, 1, lambda: [mode_in_words(loop, mode)])
        for title, field, kind in (("Source0", "_sources0", Source), ("Source1", "_sources1", Source),
                                   (say("observers", "Observer"), "_observers", Observer)):
            guarded(lines, 2, lambda: items(title, mode.addresses(field), lambda item: with_address(kind(loop.objects, item))))
        guarded(lines, 2, lambda: items(say("timers", "Timer"), mode.addresses("_timers", MOST_SHOWN),
                                        lambda timer: with_address(Timer(loop.objects, timer), clock), mode.timer_count()))
        guarded(lines, 2, lambda: blocks(say("blocks", "block"), loop.blocks_for(mode.name)))
        guarded(lines, 2, lambda: [say("ports: %s", "端口：%s") % ports_in_words(loop, mode, clock)])
    if clock.note:
        lines.append(clock.note)
    return lines


def guarded(lines, depth, part):
    """Adds the lines of one part; if it cannot be read, the reason."""
    try:
        found = part()
    except Problem as problem:
        found = ["(%s)" % problem]
    lines += ["  " * depth + line for line in found]


def items(title, found, in_words, count=None):
    if not found:
        return [say("%s: none", "%s：没有") % title]
    count = len(found) if count is None else count
    lines = [say("%s: %d", "%s：%d") % (title, count)]
    for item in found[:MOST_SHOWN]:
        try:
            lines.append("  " + in_words(item))
        except Problem as problem:
            lines.append("  (%s)" % problem)
    if count > MOST_SHOWN:
        lines.append(say("  and %d more", "  还有 %d 个") % (count - MOST_SHOWN))
    return lines


def with_address(item, *clock):
    return "%s %s" % (item, item.in_words(*clock))


def item_in_words(objects, address, clock):
    """A common item of any kind."""
    kind = objects.class_of(address)
    if kind == "CFRunLoopTimer":
        return say("%s timer, %s", "%s Timer，%s") % (hexadecimal(address), Timer(objects, address).in_words(clock))
    if kind == "CFRunLoopObserver":
        return say("%s observer, %s", "%s Observer，%s") % (hexadecimal(address), Observer(objects, address).in_words())
    if kind == "CFRunLoopSource":
        source = Source(objects, address)
        return say("%s source %d, %s", "%s Source%d，%s") % (hexadecimal(address), source.version, source.in_words())
    raise Problem(say("%s is a %s, and not an item of a mode", "%s 是 %s，不是 mode item") % (hexadecimal(address), kind))


def blocks(title, found):
    return items(title, found, lambda block: "%s %s" % (hexadecimal(block[0]), block[1]))


def runs_in_words(loop):
    records = loop.runs()
    if not records:
        return [say("there is no record of a run: the loop is being deallocated", "没有运行记录：RunLoop 正在销毁")]
    innermost = records[0]
    stopped = say("stop: requested", "停止：已请求") if loop.run_field(innermost, "stopped") else say("stop: no", "停止：未请求")
    wake_ups = say("ignored", "忽略") if loop.run_field(innermost, "ignoreWakeUps") else say("accepted", "接受")
    lines = [say("runs: %d, %s, wake-ups: %s", "运行：%d，%s，唤醒：%s") % (len(records) - 1, stopped, wake_ups)]
    if loop.flag(FLAG_DEALLOCATING):
        lines.append(say("the loop is being deallocated", "RunLoop 正在销毁"))
    return lines


def mode_in_words(loop, mode):
    marks = []
    if mode.get("_isCommon"):
        marks.append(say("common", "common mode"))
    if loop.get("_currentMode") == mode.address:
        marks.append(say("current", "当前"))
    if mode.get("_stopped"):
        marks.append(say("stop requested", "已请求停止"))
    if mode.port_set("host") != NO_PORT:
        marks.append(say("embedded in another event loop", "嵌入另一个事件循环"))
    return say("mode %s %s%s", "mode %s %s%s") % (mode.name, mode, say(" (%s)", "（%s）") % say(", ", "，").join(marks) if marks else "")


def ports_in_words(loop, mode, clock):
    words = [say("wake-up %d", "唤醒端口 %d") % loop.get("_wakeUpPort")]
    epoll = mode.port_set("epoll")
    if epoll != NO_PORT:
        words.insert(0, say("set %d", "端口集 %d") % epoll)
    if mode.timer_deadline != NEVER:
        words.append(say("timer (due %s)", "Timer（到期：%s）") % clock.in_words(mode.timer_deadline))
    if mode.port_set("mainQueuePort") != NO_PORT:
        words.append(say("main dispatch queue", "主队列"))
    return say("; ", "；").join(words)
