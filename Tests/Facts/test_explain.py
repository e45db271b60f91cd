"""What Facts/explain says of names, pasted stacks and printed loops."""

import re
import unittest

from facts import ROOT, definitions, explain, index


def lines_of(text, language="en"):
    """Each a head and a text, as the command prints them."""
    return explain.reply(text, language)[0]


def words_of(name):
    return "\n".join(text for _, text in lines_of(name))


class Names(unittest.TestCase):
    def test_a_card_leads_from_a_name_to_our_line_the_original_and_the_tests(self):
        card = words_of("CFRunLoopWakeUp")
        line = int(re.search(r"Sources/CRunLoop/CFRunLoop\.c:(\d+)", card)[1])
        self.assertEqual(definitions.lines_of("Sources/CRunLoop/CFRunLoop.c")[line - 1], "void CFRunLoopWakeUp(CFRunLoopRef rl) {")
        for part in ("CF-855, CF-1153, current", "adapted", "D4", "X5_woken_by_hand", "article 1.14"):
            self.assertIn(part, card)

    def test_fields_ids_and_items_have_cards(self):
        for name, part in {"_commonModeItems": "CFRunLoop_Internal.h:", "L7": "L7_stop_ends_the_innermost_run", "0.15": "RunLoopLab article 0.15"}.items():
            self.assertIn(part, words_of(name))

    def test_the_sentence_of_a_name_is_about_this_name(self):
        """It does not begin with “they” or “the last two” as an item of ANNOTATIONS does that is about several names: the card shows one of them."""
        several = re.compile("(?:They|These|Both|Each of|The (?:first|last|other) (?:two|three)|Here one function|Call with|The sets call) |(?:All versions|Current) (?:define|export|ha[sv]e?) |(?:它们|[前后这][两二三几]个|在现行版里，前一个)")
        self.assertTrue(several.match("They read it.") and several.match("后两个在全部版本里"))
        made = index.index()
        for name in made.card_names:
            card = made.card(name)
            if not index.ANSWERS.match(name):
                for column in ("sentence", "sentence in Chinese"):
                    self.assertFalse(several.match(card[column]), f"{name}: {card[column]}")

    def test_an_answer_to_a_part_of_a_question_says_so(self):
        """The card that has less than half of what is asked is no whole answer."""
        asked = "_commonModes 存的是字符串还是对象"
        self.assertIn(("", "这最多回答了问题的一部分，其余的请看下面。"), lines_of(asked))
        self.assertNotIn("这最多回答了问题的一部分，其余的请看下面。", "".join(text for _, text in lines_of("为什么滑动时 Timer 停了？")))

    def test_every_place_has_a_line(self):
        """Every place that the index names by a text is there."""
        for name in ("CFRunLoopWakeUp", "T3", "correction 8", "term sleep", "_lock", "run(mode:before:)", "1.21", "1.24", "experiment callouts"):
            self.assertRegex(dict(lines_of(name))["here"], r"\.(c|h|md|swift):\d+")

    def test_a_difference_and_a_correction_have_their_places(self):
        """Differences and corrections are on pages of their own."""
        for name, page in {"D13": "differences", "correction 8": "corrections", "R7": "ANNOTATIONS"}.items():
            self.assertRegex(words_of(name), page + r"\.(zh\.)?md:\d+")


ASLEEP = "The run sleeps in step 7, until a port of its mode is ready or its time limit has passed. The thread is idle, which is no stall."
STACKS = {
    "lldb and Xcode": ("""\
* thread #1, queue = 'com.apple.main-thread', stop reason = breakpoint 1.1
  * frame #0: 0x0000000104a8d1f0 Demo`-[Clock tick:](self=0x14f50a3b0, _cmd="tick:") at Clock.m:31:5
    frame #1: 0x00000001812ab4f8 Foundation`__NSFireTimer + 88
    frame #2: 0x0000000180361a88 CoreFoundation`__CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__ + 20
    frame #3: 0x0000000180360e7c CoreFoundation`__CFRunLoopDoTimers + 284
    frame #4: 0x000000018035b4b0 CoreFoundation`__CFRunLoopRun + 1868
    frame #5: 0x000000018035a7b0 CoreFoundation`CFRunLoopRunSpecific + 572
    frame #6: 0x0000000104a8d5a4 Demo`-[Clock start](self=0x14f50a3b0) at Clock.m:17:12
""", "thread #1, queue = 'com.apple.main-thread': The run is in step 9.1: the timers that are due fire. It has called a timer's callback: __NSFireTimer, and in it -[Clock tick:]."),
    "gdb": ("""\
#0  0x00007ffff7d1e1f2 in epoll_pwait2 () from /lib/libc.so.6
#1  0x00005555555a0d31 in __CFPortSetWait (set=5) at Kernel/CFPortSet.c:230
#2  0x00005555555a2000 in __CFRunLoopRun (rl=0x5555) at CFRunLoop.c:400
#3  0x00005555555a3000 in CFRunLoopRunSpecific (rl=0x5555) at CFRunLoop.c:500
""", ASLEEP),
    "a crash report": ("""\
Thread 0 Crashed:
0   libdispatch.dylib             \t0x00000001b5a3a8d4 _dispatch_sema4_wait + 28
1   Demo                          \t0x0000000102d4c1a0 -[Page layoutSubviews] + 96
2   CoreFoundation                \t0x00000001b5c6d6c8 __CFRUNLOOP_IS_CALLING_OUT_TO_AN_OBSERVER_CALLBACK_FUNCTION__ + 36
3   CoreFoundation                \t0x00000001b5c6862c __CFRunLoopDoObservers + 572
4   CoreFoundation                \t0x00000001b5c68360 CFRunLoopRunSpecific + 480
""", "Thread 0 Crashed: The run is in step 1 or 10, where observers are notified. It has called an observer's callback: -[Page layoutSubviews]. "
     "The callback waits for a semaphore; until then the loop serves nothing."),
    "callStackSymbols": ("""\
(
\t0   Demo                    0x0000000104a8d1f0 -[Worker work] + 48,
\t1   CoreFoundation          0x0000000180361a88 __CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__ + 24,
\t2   CoreFoundation          0x000000018035b4b0 __CFRunLoopRun + 836,
\t3   CoreFoundation          0x000000018035a7b0 CFRunLoopRunSpecific + 572,
\t4   Foundation              0x000000018c5ea9c4 -[NSRunLoop(NSRunLoop) run] + 212
)
""", "The run is in step 4: the signalled Source0s are performed, in their order. It has called a Source0's perform: -[Worker work]. Its mode is kCFRunLoopDefaultMode."),
    "sample": ("""\
Call graph:
    2048 Thread_283475   DispatchQueue_1: com.apple.main-thread  (serial)
    + 2048 main  (in Demo) + 128  [0x1046a1d80]
    +   2048 CFRunLoopRunSpecific  (in CoreFoundation) + 608  [0x18a4d34b8]
    +     2040 __CFRunLoopRun  (in CoreFoundation) + 1208  [0x18a4d401c]
    +     ! 2040 __CFRunLoopServiceMachPort  (in CoreFoundation) + 160  [0x18a4d5758]
    +     !   2040 mach_msg2_trap  (in libsystem_kernel.dylib) + 8  [0x18a40ef54]
    +     8 __CFRunLoopRun  (in CoreFoundation) + 828  [0x18a4d3ea0]
    +       8 __CFRunLoopDoSources0  (in CoreFoundation) + 244  [0x18a4d4f98]

Total number in stack (recursive counted multiple, when >=5):
""", "Thread_283475 DispatchQueue_1: com.apple.main-thread: " + ASLEEP),
    "spindump": ("""\
  Thread 0x1a2b    DispatchQueue "com.apple.main-thread"(1)    1001 samples (1-1001)    priority 46
  1001  main + 128 (Demo + 7552) [0x1046a1d80]
    1001  CFRunLoopRunSpecific + 608 (CoreFoundation + 512184) [0x18a4d34b8]
      1001  __CFRunLoopRun + 1208 (CoreFoundation + 516124) [0x18a4d401c]
        1001  __CFRunLoopServiceMachPort + 160 (CoreFoundation + 521048) [0x18a4d5758]
""", 'Thread 0x1a2b DispatchQueue "com.apple.main-thread"(1): ' + ASLEEP),
    "Instruments": ("""\
2.05 s  100.0%\t0 s\t \tDemo (1234)
2.05 s  100.0%\t0 s\t \t Main Thread  0x5cd
2.05 s  100.0%\t0 s\t \t  CFRunLoopRunSpecific
2.05 s  100.0%\t0 s\t \t   __CFRunLoopRun
1.90 s  92.0%\t0 s\t \t    _dispatch_main_queue_callback_4CF
0.15 s  8.0%\t0 s\t \t    __CFRunLoopDoBlocks
""", "The run is in step 9.2: the main dispatch queue is served."),
    "a report in JSON": ("""\
{"threads":[{"frames":[{"symbol":"sleep"}]},{"triggered":true,"id":7,"frames":[{"imageIndex":0,"symbol":"__CFRunLoopDoSource1"},{"symbol":"__CFRunLoopRun"},{"symbol":"CFRunLoopRunSpecific"}]}]}
""", "The run is in step 9.3: the Source1 whose port is ready is performed."),
    "names with arrows": ("main → CFRunLoopRunSpecific → __CFRunLoopRun → __CFRunLoopDoBlocks → __CFRUNLOOP_IS_CALLING_OUT_TO_A_BLOCK__ → refill",
                          "The run is in step 3, 4 or 9, where blocks are performed. It has called a block: refill."),
}
MODE = "port set = 0x2e03, queue = 0x6, source = 0x6 (not fired), timer port = 0x2d03, \n\tsources0 = "
SIGNALED = "<CFRunLoopSource 0x6a [0x1]>{signalled = Yes, valid = Yes, order = -1, context = <CFRunLoopSource context>{version = 0, info = 0x0, callout = tap (0x1)}}"
PRINTED = f"""\
<CFRunLoop 0x600 [0x1]>{{wakeup port = 0x1a07, stopped = false, ignoreWakeUps = false,
current mode = UITrackingRunLoopMode,
common modes = <CFBasicHash 0x6 [0x1]>{{type = mutable set, count = 1, entries => 0 : <CFString 0x6 [0x1]>{{contents = "UITrackingRunLoopMode"}} }},
common mode items = (null),
modes = <CFBasicHash 0x600 [0x1]>{{type = mutable set, count = 2, entries =>
\t2 : <CFRunLoopMode 0x600 [0x1]>{{name = UITrackingRunLoopMode, {MODE}<CFBasicHash 0x6 [0x1]>{{type = mutable set, count = 1, entries => 0 : {SIGNALED} }},
\tsources1 = (null),
\tobservers = (null),
\ttimers = (null) }},
\t3 : <CFRunLoopMode 0x601 [0x1]>{{name = kCFRunLoopDefaultMode, {MODE}(null),
\tsources1 = (null),
\tobservers = (null),
\ttimers = <CFArray 0x6 [0x1]>{{type = mutable-small, count = 1, values = ( 0 : <CFRunLoopTimer 0x6b [0x1]>{{valid = Yes, firing = No, next fire date = 65 (-0.25 @ 1), callout = tick (0x1)}} )}} }} }} }}
"""


TREE = """\
Call graph:
    2748 Thread_1
    + 2748 main  (in Demo) + 100  [0x100a3c5d4]
    +   2748 CFRunLoopRunSpecific  (in CoreFoundation) + 572  [0x18a54f8c8]
    +     1900 __CFRunLoopRun  (in CoreFoundation) + 1188  [0x18a5507d4]
    +     ! 1900 __CFRunLoopServiceMachPort  (in CoreFoundation) + 160  [0x18a55212c]
    +     848 __CFRunLoopRun  (in CoreFoundation) + 2000  [0x18a550a00]
    +       848 __CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__  (in CoreFoundation) + 32  [0x18a5698dc]
    +         848 __NSFireTimer  (in Foundation) + 104  [0x18b6b6a8c]
    +           500 @objc Sync.tick(_:)  (in Demo) + 48  [0x1025c0a10]
    +           ! 500 OS_dispatch_semaphore.wait()  (in libswiftDispatch.dylib) + 16  [0x19b0e0c44]
    +           !   500 _dispatch_semaphore_wait_slow  (in libdispatch.dylib) + 132  [0x18a3ab0f4]
    +           348 Sync.parse()  (in Demo) + 60  [0x1025c0b10]
"""


class Pasted(unittest.TestCase):
    def test_a_stack_of_each_form_is_read(self):
        """A reader who pastes a stack is told in which step the thread is, whatever tool has printed it: the call trees name main first, the lists last."""
        for form, (stack, words) in STACKS.items():
            lines = lines_of(stack)
            self.assertEqual(lines[0][1], words, form)
            self.assertTrue(any(text.startswith("CFRunLoopRunSpecific: One run") for _, text in lines), form)
            self.assertIn("这次运行", lines_of(stack, "zh")[0][1], form)
        self.assertIn(("–", "-[Clock start]"), lines_of(STACKS["lldb and Xcode"][0]), "what has begun the run is not what the run has called")
        self.assertIn(("yours", "-[Clock tick:]: the loop has called it"), lines_of(STACKS["lldb and Xcode"][0]))
        self.assertFalse(any(text.startswith("__CFRunLoopDoSources0") for _, text in lines_of(STACKS["sample"][0])), "the branch with fewer samples")

    def test_of_an_app_that_the_watchdog_has_ended_this_is_said_first(self):
        """What the last moment shows may be idle."""
        report = (ROOT / "Edition/edition/pastes/watchdog.txt").read_text(encoding="utf-8")
        lines = lines_of(report)
        self.assertIn("(0x8BADF00D): its main thread took too long", lines[0][1])
        self.assertIn("The run is in step 4", lines[1][1])
        self.assertIn("用了太久", lines_of(report, "zh")[0][1])
        self.assertIn("The run is in step 4", lines_of(report.replace("0x8BADF00D", "0xDEADFA11"))[0][1])

    def test_of_a_call_tree_each_branch_has_its_share(self):
        """Who looks for a stall is not told that the thread is idle because most samples are of its sleep; and what a library of Apple's does is not his."""
        lines = lines_of(TREE)
        self.assertEqual(lines[0][1], "Thread_1: " + ASLEEP)
        self.assertEqual([line for line in lines if line[0].endswith("%")], [
            ("69 %", ASLEEP + " (1900)"),
            ("18 %", "The run is in step 9.1: the timers that are due fire. It has called a timer's callback: __NSFireTimer, and in it @objc Sync.tick(_:). The callback waits for a semaphore; "
                     "until then the loop serves nothing. (500)"),
            ("13 %", "The run is in step 9.1: the timers that are due fire. It has called a timer's callback: __NSFireTimer, and in it Sync.parse(). (348)")])
        heavier = lines_of(TREE.replace("1900", "100"))
        self.assertIn("__NSFireTimer", heavier[0][1], "the branch with the most samples is told first, wherever it stands")
        self.assertIn(("–", "OS_dispatch_semaphore.wait()"), [(head, text.partition(":")[0]) for head, text in heavier])
        self.assertFalse(any(head == "yours" for head, _ in heavier if "OS_dispatch" in _))

    def test_what_is_below_a_callback_is_in_its_step(self):
        """A callback that waits for a service is no sleep of the loop."""
        lines = lines_of("""\
0   libsystem_kernel.dylib  0x1b01 mach_msg_trap + 8
1   Foundation  0x1b02 -[NSXPCConnection _sendInvocation:withProxy:] + 40
2   Demo  0x1b03 -[Page load] + 20
3   CoreFoundation  0x1b04 __CFRUNLOOP_IS_SERVICING_THE_MAIN_DISPATCH_QUEUE__ + 12
4   CoreFoundation  0x1b05 __CFRunLoopRun + 1700
5   CoreFoundation  0x1b06 CFRunLoopRunSpecific + 500
""")
        self.assertEqual([(head, text.partition(":")[0]) for head, text in lines[1:5]],
                         [("–", "mach_msg_trap"), ("–", "-[NSXPCConnection _sendInvocation"), ("yours", "-[Page load]"), ("step 9.2", "__CFRUNLOOP_IS_SERVICING_THE_MAIN_DISPATCH_QUEUE__")])

    def test_the_stacks_of_the_edition_are_read_here_too(self):
        """Edition/edition/pastes has what tools of several systems print: the search box and this command tell the same step."""
        for name, words in {"arrows.txt": "in step 9.3", "crash.txt": "in step 9.2", "gdb.txt": "in step 9.1", "lldb.txt": "in step 9.1", "nested.txt": "The outer run is in step 4", "observers.txt": "in step 10",
                            "outermost-first.txt": "in step 9.3", "pool-and-ports.txt": "between steps 6 and 7", "report.ips": "waits for a semaphore", "sample.txt": "in step 7", "sample-older.txt": "in step 7",
                            "spindump.txt": "in step 6", "symbols-dump.txt": "called a block", "symbols-nslog.txt": "in step 9.1", "symbols-quoted.txt": "in step 9.1", "symbols-swift.txt": "in step 4",
                            "waits.txt": "waits for a lock", "xcode.txt": "in step 4"}.items():
            self.assertIn(words, lines_of((ROOT / "Edition/edition/pastes" / name).read_text(encoding="utf-8"))[0][1], name)

    def test_of_code_that_has_no_known_shape_the_names_are_told(self):
        """The reader's own words in it are no words that nothing knows."""
        lines = lines_of((ROOT / "Edition/edition/pastes/listing-own.txt").read_text(encoding="utf-8"))
        self.assertEqual(lines[0], ("", "What this code names:"))
        self.assertTrue(all(any(text.startswith(name) for _, text in lines) for name in ("CFRunLoopSourceSignal:", "CFRunLoopWakeUp:", "T5:")), lines)

    def test_of_nested_runs_each_is_told(self):
        """A frame of a nested run is in its own run: each has its own step."""
        inner, outer = ["__CFRunLoopServiceMachPort", "__CFRunLoopRun", "CFRunLoopRunSpecific"], ["show", "__CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__", "__CFRunLoopRun", "CFRunLoopRunSpecific"]
        words = lines_of("\n".join(f"{number} {name}" for number, name in enumerate(inner + outer)))[0][1]
        self.assertIn("The inner run sleeps in step 7", words)
        self.assertIn("The outer run is in step 9.1: the timers that are due fire. It has called a timer's callback: show.", words)

    def test_a_printed_loop_is_read(self):
        """The loop of an application whose timer stands still while a finger drags, as a debugger prints it."""
        lines = lines_of(PRINTED)
        self.assertEqual([text for head, text in lines if head == ""], [
            "The timer tick does not fire now: it is in kCFRunLoopDefaultMode, and the loop runs in UITrackingRunLoopMode. Add it to the common modes, and it fires in both. "
            "Otherwise it fires once, late, when the loop runs in its mode again.",
            "tap is signaled, and the loop may still sleep: a signal does not wake it. Call CFRunLoopWakeUp after CFRunLoopSourceSignal.",
            "It is running in UITrackingRunLoopMode."])
        self.assertIn(("mode", "kCFRunLoopDefaultMode: 0 Source0, 0 Source1, 0 Observer, 1 Timer. The mode of ordinary work."), lines)
        self.assertIn(("Source0", "tap: Performed in step 4, after CFRunLoopSourceSignal. It is signaled: the next step 4 performs it."), lines)
        self.assertEqual(lines_of(PRINTED[:PRINTED.index("sources1")])[0][1], "The print is cut: its end is missing. What follows is true of the part that is here.")

    def test_what_keeps_an_item_from_being_called_is_said_first(self):
        """Each row changes one thing of the printed loop, and names the trouble that it makes."""
        for old, new, first in [
            ("valid = Yes, firing", "valid = No, firing", "tick is invalid: the loop ignores it"), ("current mode = UITrackingRunLoopMode", "current mode = (none)", "The loop is not running"),
            ("current mode = UITrackingRunLoopMode", "current mode = kCFRunLoopDefaultMode", "The timer tick has been due for 0.2 s."),
            ('contents = "UITrackingRunLoopMode"', 'contents = "kCFRunLoopDefaultMode"', "The timer tick does not fire now: it is in kCFRunLoopDefaultMode, and the loop runs in UITrackingRunLoopMode, which is not a common mode.")]:
            self.assertIn(old, PRINTED)
            self.assertIn(first, lines_of(PRINTED.replace(old, new))[0][1])

    def test_a_printed_item_or_mode_is_read(self):
        """A debugger prints a single one as well: the observer of the pool, the timer of a delayed perform, a mode."""
        context = "context = <CFArray 0x6 [0x1]>{type = mutable-small, count = 0, values = ()}}"
        for text, first in {
            "<CFRunLoopObserver 0x6 [0x1]>{valid = Yes, activities = 0xa0, repeats = Yes, order = 2147483647, callout = _wrapRunLoopWithAutoreleasePoolHandler (0x7), " + context:
                "Observer _wrapRunLoopWithAutoreleasePoolHandler: Notified of BeforeWaiting (6), Exit (10). Before the sleep it pops the pool and pushes a new one. At Exit it pops the pool.",
            "<CFRunLoopTimer 0x6 [0x1]>{valid = Yes, firing = No, interval = 0, next fire date = 65 (2.9 @ 1), callout = (Delayed Perform) Page show (0x7 / 0x1) (/Demo)}":
                "Timer (Delayed Perform) Page show: Fires in step 9.1. It is that of a performSelector:withObject:afterDelay:, which is a timer in the current thread's loop. Once.",
            SIGNALED: "Source0 tap: Performed in step 4, after CFRunLoopSourceSignal. It is signaled: the next step 4 performs it.",
            "<CFRunLoopMode 0x6 [0x1]>{name = UITrackingRunLoopMode, port set = 0x2e03, timer port = 0x2d03,\n\tsources0 = (null),\n\ttimers = (null) }":
                "UITrackingRunLoopMode: 0 Source0, 0 Source1, 0 Observer, 0 Timer. iOS: the mode while a scroll view tracks a finger."}.items():
            self.assertEqual(lines_of(text)[0][1], first)
            self.assertTrue(any(head == "field" for head, _ in lines_of(text)), text)

    def test_a_phrase_is_no_stack(self):
        """A single frame is a name, and an article's code with arrows or braces is code."""
        for phrase, words in {"12  CoreFoundation  0x0000000181b2f2a0 __CFRunLoopDoBlocks + 356": "__CFRunLoopDoBlocks: ", "do { CFRunLoopRun(); } while (1);": "CFRunLoopRun: "}.items():
            self.assertTrue(lines_of(phrase)[0][1].startswith(words), phrase)


if __name__ == "__main__":
    unittest.main()
