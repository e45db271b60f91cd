"""What facts.shapes says of listings, and that it says nothing of others."""

import json
import re
import shutil
import subprocess
import unittest

from facts import ROOT, index, shapes, tables

LISTINGS = {
    "Guides/questions#can-a-run-loop-keep-an-app-alive-after-a-crash": "CFArrayRef modes = CFRunLoopCopyAllModes(loop);\nwhile (!left) for (NSString *mode in modes) CFRunLoopRunInMode((CFStringRef)mode, 0.001, false);",
    "Guides/questions#in-combine-how-do-runloopmain-and-dispatchqueuemain-differ": "tide.$height\n    .receive(on: RunLoop.main)\n    .sink { self.show($0) }",
    "A5": "let watcher = CFRunLoopObserverCreateWithHandler(nil, CFRunLoopActivity.allActivities.rawValue, true, 0) { _, activity in last = activity; semaphore.signal() }\n"
          "DispatchQueue.global().async { while true { if semaphore.wait(timeout: limit) == .timedOut { report(last) } } }",
    "L5": "dispatch_async(dispatch_get_global_queue(0, 0), ^{\n    [NSTimer scheduledTimerWithTimeInterval:1 target:self selector:@selector(beat) userInfo:nil repeats:YES];\n    [[NSRunLoop currentRunLoop] run];\n});",
    "O6": "CFRunLoopObserverRef idle = CFRunLoopObserverCreateWithHandler(NULL, kCFRunLoopBeforeWaiting, true, 0, ^(CFRunLoopObserverRef o, CFRunLoopActivity a) {\n    [self.tasks.firstObject perform]; [self.tasks removeObjectAtIndex:0];\n});",
    "A3": "while (!self.isDone) {\n    if (self.isDragging) [loop runMode:UITrackingRunLoopMode beforeDate:soon];\n    else [loop runMode:NSDefaultRunLoopMode beforeDate:soon];\n}",
    "X6": "DispatchQueue.main.async {\n    print(\"outer\")\n    DispatchQueue.main.async { print(\"inner\") }\n    RunLoop.current.run(until: Date() + 1)\n}",
    "Guides/questions#why-does-afterdelay-or-scheduledtimer-do-nothing-on-a-background-queue": "dispatch_async(dispatch_get_global_queue(0, 0), ^{\n    [self performSelector:@selector(pour) withObject:nil afterDelay:1];\n});",
    "A1": "- (void)threadMain {\n    [[NSThread currentThread] setName:@\"kettle\"];\n    [[NSRunLoop currentRunLoop] addPort:[NSMachPort port] forMode:NSDefaultRunLoopMode];\n    [[NSRunLoop currentRunLoop] run];\n}",
    "Guides/questions#how-do-i-wait-for-an-asynchronous-callback-before-i-go-on": "while (!isReady) {\n    [loop runMode:NSDefaultRunLoopMode beforeDate:soon];\n}",
}
STOPS = "CFRunLoopObserverRef end = CFRunLoopObserverCreateWithHandler(NULL, kCFRunLoopExit, true, 0, ^(CFRunLoopObserverRef o, CFRunLoopActivity a) {\n    CFRunLoopStop(CFRunLoopGetCurrent());\n});"
WATCHES = "while (self.isWatching) {\n    if (dispatch_semaphore_wait(lamp, limit) && self.last == kCFRunLoopAfterWaiting) [self report];\n}"  # the second thread of a monitor alone
OTHERS = ["NSTimer *timer = [NSTimer timerWithTimeInterval:1 target:self selector:@selector(beat) userInfo:nil repeats:YES];\n[[NSRunLoop mainRunLoop] addTimer:timer forMode:NSRunLoopCommonModes];",
          "why does a timer stop while I scroll", "CFRunLoopWakeUp(loop);", "int main(void) {\n    return 0;\n}"]


class Shapes(unittest.TestCase):
    def test_each_shape_is_known_by_a_listing_of_our_own(self):
        for card, listing in LISTINGS.items():
            self.assertEqual((shapes.of(listing) or {}).get("card"), card, listing)
        self.assertEqual(shapes.of(STOPS)["card"], "L5")
        self.assertEqual(shapes.of(WATCHES)["card"], "A5")
        self.assertEqual({row["sentence"] for row in tables.rows("shapes")}, {shapes.of(listing)["sentence"] for listing in [*LISTINGS.values(), STOPS]}, "each row has its listing")

    def test_other_code_has_no_shape(self):
        for text in OTHERS + [(ROOT / f"Edition/edition/pastes/{name}.txt").read_text() for name in ("print-bare", "sample", "gdb", "listing-glued")]:
            self.assertIsNone(shapes.of(text), text[:80])

    def test_each_card_is_there(self):
        cards = set(index.index().card_names)
        for row in tables.rows("shapes"):
            self.assertIn(row["card"], cards)

    @unittest.skipUnless(shutil.which("node"), "node is not installed")
    def test_the_edition_says_the_same(self):
        script = re.search(r"function shape\(text\) \{.*?\n    \}", (ROOT / "Edition/edition/static/listing.js").read_text(), re.S)[0]
        rows, texts = [[shapes.patterns(row), row["none"], row["sentence"], row["card"]] for row in tables.rows("shapes")], [*LISTINGS.values(), STOPS, *OTHERS]
        program = f"const [shapes, texts] = JSON.parse(require('fs').readFileSync(0)), edition = {{ data: {{ frames: {{ shapes }} }}, address: card => card }}, escape = text => text, say = () => ''; {script};" \
                  "console.log(JSON.stringify(texts.map(text => /href=\"([^\"]*)\"/.exec(shape(text))?.[1] ?? null)))"
        found = json.loads(subprocess.run(["node", "-e", program], input=json.dumps([rows, texts]), capture_output=True, text=True, check=True).stdout)
        self.assertEqual(found, [(shapes.of(text) or {}).get("card") for text in texts])


if __name__ == "__main__":
    unittest.main()
