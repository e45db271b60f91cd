"""play.html: programs for run loops, performed in the page by the library's own code, as a loop that moves and line by line.

The module is Edition/Browser/Page.c; Scripts/build-wasm makes it, and a table of the places of its statements. Both are in play.js of the site, so the
page works from file://. play-alone.html is the same page in one file, with all that it loads. Without the tools that the module needs, the page says so. The examples are those of Documentation/Reference/programs.md."""

import base64
import functools
import json
import re
import subprocess
import sys
from pathlib import Path

from markupsafe import Markup

from facts import ROOT, Failure, book, breaks, tables

from .. import background, document, lab, play
from ..site import script

STATIC = Path(__file__).parents[1] / "static"

NAVIGATION = [(play.PAGE, "navigation.play")]
FIRST = 9  # the example that the page opens with
MODULE, TABLE, KEY = ".build/wasm/Page.wasm", ".build/wasm/Page.json", ROOT / ".build/wasm/Page.key"
MADE_OF = ["Sources/CRunLoop", "Programs/CRunLoopModel", "Programs/CRunLoopPrograms", "Edition/Browser", "Scripts/build-wasm", breaks.TABLE, "Tests/Platforms/Blocks.c", MODULE, TABLE]
LIMIT = 1_500_000  # bytes of the page with all that it loads

TEXT = {
    "navigation.play": ("Play", "试一试"),
    "play.title": ("Play: a run loop in this page", "试一试：页面里的 RunLoop"),
    "play.lead": ("The library's own code performs this program here, on a clock that jumps. Play it, go forward and back, change it.",
                  "这段程序由本库自己的代码在这个页面里执行，时钟直接跳到下一个事件。可以播放、前进、后退，也可以改程序。"),
    "play.language": ("The language", "语法说明"),
    "play.absent": ("This page performs programs for run loops, but this edition was built without the module that does it, because a tool that makes the module is not installed. The build names the tool.",
                    "这个页面可以执行 RunLoop 程序，但这份阅读版没有执行程序的模块，因为缺少构建它的工具。构建时会打印缺少哪个工具。"),
    "play.absent.how": ("Install the tools, and build the edition again:", "安装工具后重新构建阅读版："),
    "play.noscript": ("The page needs JavaScript.", "这个页面需要 JavaScript。"),
    "play.example": ("Example", "例子"),
    "play.own": ("your own", "你自己的程序"),
    "play.seed": ("Order of the threads", "线程次序"),
    "play.seed.title": ("0: a thread runs until it waits. Any other number is another order, always the same one.", "0：线程一直运行到等待为止。其他数字是另一种次序，同一数字总是同一次序。"),
    "play.program": ("Program", "程序"),
    "play.predict": ("Predict first", "先猜再看"),
    "play.predict.title": ("Before something is called, the page asks what comes next", "每次回调之前，页面先问接下来会发生什么"),
    "play.link": ("Copy the link", "复制链接"),
    "play.embed": ("Embed it", "嵌入"), "play.embed.language": ("Language", "语言"),
    "play.embed.how": ("Put this into a page of yours. It shows this program, at this moment, in this view.", "放进你的网页，就会显示这段程序、这个时刻、这个视图。"),
    "play.embed.copy": ("Copy it", "复制"),
    "play.alone": ("Without a network: the page in one file", "没有网络时：整个页面的单个文件"),
    "play.whole": ("Open this program in its own page", "在单独的页面里打开"),
    "play.log": ("Log", "记录"),
    "play.printed": ("The loop, printed", "打印出来的 RunLoop"),
    "play.time": ("The run from its beginning to its end", "从开始到结束的整个运行"),
    "play.time.scale": ("Not to scale: each event has a place of its own, also where many happen at one moment", "不按比例：许多事件发生在同一时刻，也各占一格"), "js.band.scale": ("not to scale", "不按比例"),
    "play.broken": ("Break a line", "改坏一行"),
    "play.broken.title": ("Each entry changes one line of the loop. Then both loops run your program, and their logs stand side by side", "每一项改坏 RunLoop 的一行。原样的和改坏的都运行这段程序，两份记录并排显示"), "play.broken.none": ("nothing: the loop as it is", "没有：原样的 RunLoop"), "play.broken.game": ("one line: find it", "有一行：找出它"),
    "play.game": ("Find the broken line", "找出坏的一行"), "play.game.title": ("One line of the loop is broken: find it", "RunLoop 有一行坏了：找出它"),
    "play.which-step": ("Which step?", "哪一步？"),
    "js.game.which-step": ("The logs show what the loop should do, and what this one does. Whose work comes too early, too late, too often, or not at all? Choose that step, or go to it and press !.",
                           "两份记录，一份是 RunLoop 本来该做的，一份是这个坏了的做的。什么来得太早、太晚、太多次，或者根本没来？选出该管这件事的那一步，或者走到那一步按 !。"),
    "js.game.no-step": ("none: in a function that the program calls", "都不是：在程序调用的函数里"),
    "js.game.step.yes": ("Yes: step {0}, “{1}”. Now the line.", "对，是第 {0} 步：{1}。接着找那一行。"),
    "js.game.step.yes.none": ("Yes: it is in a function that the program calls, such as CFRunLoopWakeUp. Now the line.", "对，是程序调用的某个函数，例如 CFRunLoopWakeUp。接着找那一行。"),
    "js.game.step.no": ("No: step {0}, “{1}”, does what it should.", "不是：第 {0} 步（{1}）没有问题。"),
    "js.game.step.no.none": ("No: it is in one of the ten steps.", "不是：就在十个步骤里。"),
    "js.game.step.solved": ("It is step {0}, “{1}”. Now the line.", "是第 {0} 步：{1}。接着找那一行。"),
    "js.game.step.solved.none": ("It is in none of the ten steps, but in a function that the program calls. Now the line.", "不在十个步骤里，而在程序调用的某个函数里。接着找那一行。"),
    "js.game.which-line": ("Go to the line that you suspect and accuse it. Breakpoints and both views help; in the code you can also click a line, or choose it with ↑ and ↓. You may change the program.",
                           "走到你怀疑的那一行，指认它。断点和两种视图都能帮忙；在代码里也可以点一行，或用 ↑ ↓ 选。程序可以随便改。"),
    "play.hint": ("Hint", "提示"), "play.solve": ("Show it", "公布答案"), "play.new": ("Another one", "再来一题"),
    "play.logs": ("The log of the loop as it is, and of the broken loop", "原样的 RunLoop 和改坏的 RunLoop 的记录"),
    "play.broken.sentences": ("The sentences of the steps say what a step is for. The log says what the broken loop does.", "每一步的说明讲的是这一步本来做什么；改坏以后实际做了什么，看记录。"),
    "js.break.title": ("Broken: {0}", "改坏：{0}"), "js.break.as-it-is": ("as it is", "原样"), "js.break.broken": ("broken", "改坏以后"), "js.break.first": ("First difference:", "第一处不同："),
    "js.break.same": ("With this program nobody notices: both loops write the same log.", "这段程序看不出来：两边的记录一样。"),
    "js.break.show": ("Show it with {0}", "换成{0}来看"), "play.shows.example": ("example {number}", "例子 {number} "), "play.shows.chapter": ("the program of chapter {number}", "第 {number} 章的程序"),
    "js.break.gone": ("(nothing)", "（没有了）"), "js.break.stop": ("Mend it", "改回来"),
    "js.game.title": ("One line of the loop is broken: find it", "RunLoop 有一行坏了：找出它"),
    "js.game.accuse": ("Accuse line {0}", "指认第 {0} 行"), "js.game.accuse.none": ("No line of the loop", "还没有到 RunLoop 的代码"),
    "js.game.wrong": ("No: {0} is as it should be.", "不是：{0} 没有问题。"),
    "js.game.found.first": ("Found, at once: {0}", "一次就找到了：{0}"), "js.game.found": ("Found after {1} lines: {0}", "指认了 {1} 行，找到了：{0}"),
    "js.game.hint.is": ("It is in {0}.", "它在 {0} 里。"), "js.game.solved": ("It was this: {0}", "答案：{0}"),
    "play.more": ("More buttons", "更多按钮"),
    "play.views": ("View", "视图"), "play.view.loop": ("Loop", "循环"), "play.view.code": ("Code", "代码"),
    "play.pauses": ("Pause at callouts", "回调处暂停"),
    "play.pauses.title": ("While it plays, stop at each callout", "播放时，每次回调都停下"),
    "play.again": ("again", "下一轮"), "play.ready": ("ready", "就绪"),
    "play.rooms": ("A mode is a room. The loop is in one room at a time and serves only what is in that room; what is due in another room waits there.",
                   "mode 就像房间：RunLoop 一次只待在一个房间里，只处理这个房间里的东西；别的房间里的东西到期了，也只能等着。"),
    "play.words": ("The words of the picture", "图里的词"),
    "play.word.items": ("Timer, Source0, Source1, Observer", "Timer、Source0、Source1、Observer"),
    "play.word.items.text": ("What a mode has in it. A Timer fires at its time. A Source0 performs after somebody has signalled it. A Source1 performs when its port has a message. An Observer is notified in some of the steps.",
                             "mode 里的东西。Timer 到时间触发；Source0 被标记后执行；Source1 的端口有消息时执行；Observer 在其中几步得到通知。"),
    "play.word.bubble": ("a bubble under an item", "item 下面的气泡"),
    "play.word.bubble.text": ("A callout: the loop is in a function of yours, and waits until it returns.", "回调（callout）：RunLoop 正在执行你的函数，要等它返回。"),
    "play.word.common": ("common", "common"),
    "play.word.common.text": ("This mode is one of the common modes. What is added to the common modes is put into each of them.", "这个 mode 是 common mode 之一。加入 common modes 的东西，会放进每一个 common mode。"),
    "play.word.blocks": ("blocks: 1", "block：1"),
    "play.word.blocks.text": ("Closures that CFRunLoopPerformBlock has queued. Each runs once, when the loop is in its mode.", "用 CFRunLoopPerformBlock 排队的 block。RunLoop 在它的 mode 里时执行，只执行一次。"),
    "play.word.queue": ("the main queue", "主队列"),
    "play.word.queue.text": ("The queue of DispatchQueue.main. The main thread's loop serves it in step 9, while it runs in a common mode.", "就是 DispatchQueue.main。主线程的 RunLoop 在 common mode 下运行时，在第 9 步执行里面的任务。"),
    "play.word.wake": ("wake-up port", "唤醒端口"),
    "play.word.wake.text": ("CFRunLoopWakeUp puts a message there. It ends a sleep, or the next one.", "CFRunLoopWakeUp 往这里发一条消息，正在进行的休眠就会结束；没有休眠，下一次就不会睡。"),
    "play.player": ("Player", "播放器"),
    "play.controls": ("Move in the run", "在运行中移动"),
    "play.event": ("event", "事件"), "play.back.event": ("One event back", "后退一个事件"), "play.forth.event": ("One event forward", "前进一个事件"),
    "play.line": ("line", "行"), "play.step": ("step", "步骤"), "play.callout": ("callout", "回调"), "play.pass": ("pass", "轮"), "play.thread": ("thread", "线程"),
    "play.sleep": ("sleep", "休眠"), "play.break": ("breakpoint", "断点"), "play.log.move": ("log", "记录"),
    "play.back.line": ("Back one line", "后退一行"), "play.forth.line": ("Forward one line", "前进一行"),
    "play.back.step": ("To the step before", "回到上一步"), "play.forth.step": ("To the next step", "到下一步"),
    "play.back.callout": ("To the callout before", "回到上一次回调"), "play.forth.callout": ("To the next callout", "到下一次回调"),
    "play.back.thread": ("To where the thread changed before", "回到上一次切换线程"), "play.forth.thread": ("To where the thread changes", "到下一次切换线程"),
    "play.back.pass": ("To the pass before", "回到上一轮"), "play.forth.pass": ("To the next pass", "到下一轮"),
    "play.back.sleep": ("To the sleep before", "回到上一次休眠"), "play.forth.sleep": ("To the next sleep", "到下一次休眠"),
    "play.back.break": ("To the breakpoint before", "回到上一个断点"), "play.forth.break": ("To the next breakpoint", "到下一个断点"),
    "play.back.log": ("To the line of the log before", "回到上一行记录"), "play.forth.log": ("To the next line of the log", "到下一行记录"),
    "play.play": ("Play", "播放"), "play.space": ("space", "空格"), "play.speed": ("Speed", "速度"),
    "play.steps": ("Steps of the pass", "这一轮的步骤"),
    "play.code": ("Code", "代码"),
    "play.picture": ("The loop, its modes and their items", "RunLoop、mode 和 mode item"),
    "play.changed": ("Changed by the line before", "上一行改变了"),
    "play.locks": ("Locks held", "持有的锁"),
    "play.stack": ("Stack", "调用栈"),
    "play.callout.to": ("Calls out to {what}.", "回调（callout）：{what}。"),
    "play.keys.short": ("Keys: space plays · ← → event or line · c callout · s step, ⇧ back · v loop or code · ? all",
                        "按键：空格播放 · ← → 事件或行 · c 回调 · s 步骤，⇧ 后退 · v 循环或代码 · ? 全部"),
    "play.keys": ("Space plays; ← → one event, or one line of the code; v changes between the loop and its code; s step, c callout, z sleep, l log, p pass, t change of thread, b breakpoint, each with ⇧ back; ⇧ → over a call; in the game, ! accuses the step, and then the line, at which you are; x sets a breakpoint on this line, X on this step; in the code ↑ ↓ choose another line; − and + change the speed; Home and End; e leads to the list of examples, Esc leads from a menu back to the player.",
                  "空格播放；← → 前后一个事件，代码视图里是一行；v 在循环和代码之间切换；s 步骤，c 回调，z 休眠，l 记录，p 轮，t 切换线程，b 断点，加 ⇧ 后退；⇧ → 越过调用；在找错的游戏里，! 指认所在的步骤，然后是所在的行；x 在当前行设断点，X 在当前步骤设断点；代码里用 ↑ ↓ 选别的行；− 和 + 调整速度；Home、End 到两端；e 到例子的菜单，Esc 从菜单回到播放器。"),
    "play.item": ("Item {item} of the articles", "文章的 {item}"),
    "play.chapter": ("The book: {number}. {title}", "《RunLoop 之书》第 {number} 章 {title}"),
    "js.play.where": ("{0} s · statement {1} of {2}", "{0} 秒 · 第 {1} / {2} 条语句"),
    "js.play.pass": ("pass {0}", "第 {0} 轮"),
    "js.play.endless": ("This program is longer than {0} statements, so the page has stopped it at {1} s.", "这段程序超过 {0} 条语句，页面在 {1} 秒处停止了它。"),
    "js.play.deep": ("The program nests runs or callbacks too deeply, so the page has stopped it.", "运行或回调嵌套得太深，页面停止了这段程序。"),
    "js.play.trapped": ("The library has stopped the program: the last line of the log says why.", "本库中止了这段程序：原因见记录的最后一行。"),
    "js.play.deadlock": ("All threads wait, and nothing can end it: the end of the log says who waits for what.", "所有线程都在等待，无法继续：记录末尾说明了谁在等什么。"),
    "js.play.nothing": ("Nothing happens: no line of the loop is reached.", "什么也没有发生：没有执行到 RunLoop 的代码。"),
    "js.play.line": ("Line {0} of the program.", "程序的第 {0} 行。"),
    "js.play.line.of": ("{0}: line {1} of the program.", "{0}：程序的第 {1} 行。"),
    "js.play.other.before": ("{0} is before step {1}:", "{0}在第 {1} 步之前："),
    "js.play.other.in": ("{0} is in step {1}:", "{0}在第 {1} 步："),
    "js.play.ended": ("The program has ended: {0}", "程序已结束：{0}"),
    "js.play.no-break": ("No breakpoint: click a line's number, or press x.", "没有断点：点击行号，或者按 x。"),
    "js.play.no-further": ("No further {0}.", "后面没有{0}了。"), "js.play.no-earlier": ("No earlier {0}.", "前面没有{0}。"),
    "js.play.kind.step": ("step", "步骤"), "js.play.kind.callout": ("callout", "回调"), "js.play.kind.pass": ("pass", "新的一轮"), "js.play.kind.thread": ("change of thread", "线程切换"),
    "js.play.kind.sleep": ("sleep", "休眠"), "js.play.kind.break": ("breakpoint", "断点"), "js.play.kind.log": ("line of the log", "记录"),
    "js.play.program": ("the program, line {0}", "程序第 {0} 行"),
    "js.play.callback": ("your callback", "你的回调"),
    "js.play.mac": ("{0} is what a Mac shows; here it is __CFPortSetWait", "Mac 上显示 {0}；这里是 __CFPortSetWait"),
    "js.play.held.main": ("{0}, held by the main thread", "{0}，由主线程持有"),
    "js.play.held": ("{0}, held by {1}", "{0}，由 {1} 持有"),
    "js.play.loop": ("loop of {0}", "{0} 的 RunLoop"),
    "js.play.more": ("… and {0} lines more", "……另有 {0} 行"),
    "js.play.asks": ("What comes next in the log?", "记录里接下来是哪一行？"),
    "js.play.end": ("nothing more", "没有了"),
    "js.play.right": ("Right. {0} of {1} right so far.", "对。目前猜对 {0}/{1} 次。"),
    "js.play.wrong": ("No, it is {0}. {1} of {2} right so far.", "不对，应是：{0}。目前猜对 {1}/{2} 次。"),
    "js.play.write": ("Write:", "改成："),
    "js.play.decided": ("This line decided:", "决定它的是这一行："),
    "js.play.show-line": ("Show {0}", "查看 {0}"),
    "js.play.copied": ("Copied", "已复制"),
    "js.play.yours": ("This is your code of the loop. It differs from the edition's at {0}.", "这里执行的是你改过的 RunLoop，与阅读版不同的地方：{0}。"),
    "js.play.sleeps": ("{0} sleeps until {1} s.", "{0}休眠到 {1} 秒。"),
    "js.play.sleeper": ("The main thread", "主线程"),
    "js.play.another": ("Another thread", "另一个线程"),  # which the program does not name
    "js.play.thread": ("Thread {0}", "线程 {0} "),
    "js.play.step": ("Step {0}", "第 {0} 步"),
    "js.play.no-step": ("Outside the steps", "步骤之外"),
    "js.play.no-run-yet": ("The program's own calls, before or after the run", "程序自己的调用，在运行之前或之后"),
    "js.play.main": ("main thread", "主线程"),
    "js.play.changes": ("nothing", "没有变化"),
    "js.play.no-lock": ("none", "没有"),
    "js.play.stop": ("Stop", "停止"),
    "js.play.play": ("Play", "播放"),
    "js.play.picture.asleep": ("asleep", "休眠"),
    "js.play.picture.awake": ("awake", "醒着"),
    "js.play.picture.idle": ("not running", "没有运行"),
    "js.play.picture.message": ("wake-up port: a message", "唤醒端口有消息"),
    "js.play.picture.stopped": ("stop requested", "已请求停止"),
    "js.play.picture.blocks": ("blocks: {0}", "block：{0}"),
    "js.play.picture.queue": ("main queue: work", "主队列有任务"),
    "play.records": ("The run's record", "每次运行的数据"),
    "js.play.no-run": ("no run", "未运行"),
    # The loop view: what an event is, in a sentence. {0} is who does it, or the item.
    "js.loop.time": ("{0} s", "{0} 秒"), "js.loop.comma": (", ", "、"), "js.loop.none": ("none", "无"), "js.loop.of": ("The loop of {0}", "{0}的 RunLoop"), "js.loop.mode": ("mode", "mode"), "js.loop.its": ("the loop of {0}", "{0} 的 RunLoop"),
    "js.loop.in-thread": ("{0}: {1}", "{0}：{1}"),
    "js.loop.callback": ("The callback of {0}", "{0} 的回调"),
    "js.loop.before": ("The program makes its items.", "程序在创建各个 item。"),
    "js.loop.run": ("{0} runs its loop in the mode {1}, {2}.", "{0}在 {1} mode 下运行 RunLoop，{2}。"),
    "js.loop.run.for": ("for {0} at most", "最多 {0}"), "js.loop.run.always": ("without a limit", "没有超时时间"), "js.loop.run.once": ("for one pass that does not wait", "只转一轮，不等待"),
    "js.loop.run.source": (" It is to return after a source.", "处理完一个 Source 就返回。"),
    "js.loop.watch": ("Observers of {0}: {1}.", "监听 {0} 的 Observer：{1}。"), "js.loop.watch.none": ("Nobody observes {0}.", "没有 Observer 监听 {0}。"),
    "js.loop.step.1": ("Step 1: a run begins in the mode {0}. {1}", "第 1 步：开始在 {0} mode 下运行。{1}"),
    "js.loop.step.2": ("Step 2: a pass begins. {0}", "第 2 步：新的一轮开始。{0}"),
    "js.loop.step.3": ("Step 3: no block waits. {0}", "第 3 步：没有 block 在等待。{0}"),
    "js.loop.step.3.blocks": ("Step 3: blocks that wait: {1}. {0}", "第 3 步：有 {1} 个 block 在等待。{0}"),
    "js.loop.step.4": ("Step 4: no Source0 is signalled.", "第 4 步：没有被标记的 Source0。"),
    "js.loop.step.4.some": ("Step 4: {0} is signalled, so the loop performs it.", "第 4 步：{0} 被标记了，RunLoop 执行它。"),
    "js.loop.step.5": ("Step 5: does the main queue have work? No.", "第 5 步：主队列有任务吗？没有。"),
    "js.loop.step.5.yes": ("Step 5: does the main queue have work? Yes, so the loop goes to step 9 and does not sleep.", "第 5 步：主队列有任务吗？有，所以不休眠，直接到第 9 步。"),
    "js.loop.step.6": ("Step 6: nothing is left to do, so the thread will sleep. {0}", "第 6 步：没有事可做，线程即将休眠。{0}"),
    "js.loop.step.7": ("Step 7: the loop looks at its ports and goes on at once, without a sleep.", "第 7 步：RunLoop 看一眼各个端口就继续，没有休眠。"),
    "js.loop.step.8": ("Step 8: the thread is awake again. {0}", "第 8 步：线程醒来了。{0}"),
    "js.loop.step.9.0": ("Step 9: the loop serves what woke it.", "第 9 步：处理唤醒它的事件。"),
    "js.loop.step.9.1": ("Step 9: no port is ready, so there is nothing to serve.", "第 9 步：没有端口就绪，没有要处理的事。"),
    "js.loop.step.9.2": ("Step 9: somebody has called CFRunLoopWakeUp. The loop goes round again and looks what there is to do.", "第 9 步：有人调用了 CFRunLoopWakeUp。RunLoop 再转一轮，看看有什么要做。"),
    "js.loop.step.9.3": ("Step 9: a timer has woken the loop: {0} is due.", "第 9 步：RunLoop 被 Timer 唤醒，{0} 到期了。"), "js.loop.step.9.3.none": ("Step 9: the timer port has woken the loop, but no timer in this mode is due.", "第 9 步：RunLoop 被定时端口唤醒，但这个 mode 里没有到期的 Timer。"),
    "js.loop.step.9.4": ("Step 9: the main queue has work.", "第 9 步：主队列有任务。"),
    "js.loop.step.9.5": ("Step 9: the port of a Source1 is ready: {0}.", "第 9 步：Source1 的端口就绪：{0}。"),
    "js.loop.step.9.6": ("Step 9: the limit of the run has come, and nothing else.", "第 9 步：运行的超时时间到了，没有别的事。"),
    "js.loop.step.10": ("Step 10: the run ends. {0}", "第 10 步：运行结束。{0}"),
    "js.loop.sleep": ("Step 7: {0} sleeps, until {1} at the latest. It waits for: {2}.", "第 7 步：{0}休眠，最晚在 {1}时醒来。能唤醒它的：{2}。"),
    "js.loop.sleep.forever": ("Step 7: {0} sleeps. It waits for: {2}.", "第 7 步：{0}休眠。能唤醒它的：{2}。"),
    "js.loop.missed.mode": ("{1}: {0} is due now. But {0} is in the mode {2} and the loop is in {3}, so {0} has to wait and the thread sleeps on.", "{1}：{0} 到期了。可是 {0} 在 {2} mode 里，RunLoop 在 {3} mode 里，所以 {0} 只能等着，线程接着睡。"),
    "js.loop.missed.busy": ("{1}: {0} is due now. But the thread is still in the callback of {2}, so {0} has to wait.", "{1}：{0} 到期了。可是线程还在执行 {2} 的回调，所以 {0} 只能等着。"),
    "js.loop.waits.timer": ("timer {0} ({1})", "Timer {0}（{1}）"), "js.loop.waits.port": ("port {0}", "端口 {0}"), "js.loop.waits.queue": ("the main queue", "主队列"),
    "js.loop.waits.wake": ("a wake-up", "CFRunLoopWakeUp"), "js.loop.waits.limit": ("the limit of the run ({0})", "运行的超时时间（{0}）"),
    "js.loop.waits-for": ("waits for: {0}", "等待：{0}"),
    "js.loop.callout.timer": ("{0} fires.", "{0} 触发。"),
    "js.loop.callout.source": ("{0} performs, because it was signalled.", "{0} 执行，因为它被标记了。"),
    "js.loop.callout.port": ("{0} performs, because its port has a message.", "{0} 执行，因为它的端口有消息。"),
    "js.loop.callout.observer": ("The observer {0} is notified: {1}.", "通知 Observer {0}：{1}。"),
    "js.loop.callout.block": ("The block {0} runs.", "block {0} 执行。"),
    "js.loop.callout.queue": ("{0} runs, a function of the main queue.", "执行主队列里的函数 {0}。"),
    "js.loop.late": (" It was due at {0}", "它在 {0}就到期了"),
    "js.loop.late.end": (".", "。"),
    "js.loop.late.once": (" For all the dates that it has missed, it fires once.", "错过的时间点不管有几个，只触发一次。"),
    "js.loop.late.busy": (": until now the thread was busy in the callback of {0}.", "：线程一直忙着执行 {0} 的回调。"),
    "js.loop.late.thread": (": until now the thread was busy.", "：线程一直在忙。"),
    "js.loop.late.mode": (": the loop was in the mode {0}, where this timer is not.", "：RunLoop 那时在 {0} mode 里，而这个 Timer 不在那里。"),
    "js.loop.late.no-run": (": no run was active.", "：那时没有运行 RunLoop。"),
    "js.loop.spend": ("{0} is busy for {1}.", "{0}忙 {1}。"),
    "js.loop.spend.callback": ("{0} is busy for {1}. The loop waits for its return, and serves nothing else.", "{0}要忙 {1}。RunLoop 只能等它返回，什么也处理不了。"),
    "js.loop.spent": ("It is {0} now. Nothing else has become due.", "现在是 {0}，没有别的到期。"),
    "js.loop.spent.due": ("It is {0} now. Due meanwhile, and still waiting: {1}.", "现在是 {0}。{1} 在这期间到期，还在等待。"),
    "js.loop.act.add": ("{0} adds {1} to {2}.", "{0}把 {1} 加入 {2}。"),
    "js.loop.act.remove": ("{0} removes {1} from {2}.", "{0}把 {1} 从 {2} 移除。"),
    "js.loop.act.invalidate": ("{0} invalidates {1}.", "{0}让 {1} 失效。"),
    "js.loop.act.signal": ("{0} signals {1}. That marks the source, and wakes nobody.", "{0}把 {1} 标记为待处理。这只是做个标记，不会唤醒 RunLoop。"),
    "js.loop.act.send": ("{0} sends a message to the port of {1}.", "{0}给 {1} 的端口发一条消息。"),
    "js.loop.act.receive": ("{0} receives the message of {1}.", "{0}取走 {1} 的消息。"),
    "js.loop.act.set": ("{0} sets {1} to {4}.", "{0}把 {1} 设为 {4}。"),
    "js.loop.act.wake": ("{0} wakes {3}.", "{0}唤醒{3}。"),
    "js.loop.act.stop": ("{0} stops {3}: its innermost run.", "{0}让{3}停止：只停最内层的运行。"),
    "js.loop.act.block": ("{0} queues the block {1} for {2}. That wakes nobody.", "{0}把 block {1} 排进 {2}。这不会唤醒 RunLoop。"),
    "js.loop.act.queue": ("{0} queues the function {1} in the main queue.", "{0}把函数 {1} 排进主队列。"),
    "js.loop.act.declare": ("{0} declares {2} a common mode. It gets the common items.", "{0}把 {2} 声明为 common mode，它会得到所有 common item。"),
    "js.loop.act.fault": ("{0} makes the kernel's next answer a wrong one, to try the loop.", "{0}让内核下一次给出错误的结果，用来试验 RunLoop。"),
    "js.loop.act.embed": ("{0} asks for the descriptor of {2}, for another event loop to wait for.", "{0}取得 {2} 的描述符，供别的事件循环等待。"),
    "js.loop.act.serve": ("{0} serves {2}, as another event loop does: one pass that does not wait.", "{0}像别的事件循环那样服务 {2}：一轮，不等待。"),
    "js.loop.act.close": ("{0} closes the port of {1}.", "{0}关闭 {1} 的端口。"),
    "js.loop.say": ("{0} says “{1}”.", "{0}打印“{1}”。"), "js.loop.ask": ("{0} asks. The answer: {1}.", "{0}查询，结果是 {1}。"),
    "js.loop.result": ("The run in {0} returns {1}", "{0} mode 下的这次运行返回 {1}"),
    "js.loop.result.Finished": (", because the mode {0} is empty: nothing in it could ever wake the loop.", "，因为 {0} mode 是空的：里面没有任何东西能唤醒 RunLoop。"),
    "js.loop.result.Finished.observers": (", because the mode {0} has only observers: nothing in it could ever wake the loop.", "，因为 {0} mode 里只有 Observer：没有任何东西能唤醒 RunLoop。"),
    "js.loop.result.TimedOut": (": it began at {2} for {0}, so it ended at {1}.", "：它从 {2}开始，最多运行 {0}，所以在 {1}结束。"),
    "js.loop.result.TimedOut.late": (": it should have ended at {0}, but the thread was busy then.", "：它本该在 {0}结束，可是那时线程正忙。"),
    "js.loop.result.TimedOut.once": (", because it was to make one pass only.", "，因为它只转一轮。"),
    "js.loop.result.HandledSource": (", because it was to return after a source, and has served {0}.", "，因为它处理完一个 Source 就该返回，而它处理了 {0}。"),
    "js.loop.result.Stopped": (", because it was stopped at {1}, in line {2} of the program.", "，因为程序第 {2} 行在 {1}让它停止。"),
    # and its picture
    "js.loop.here": ("the loop is here", "RunLoop 在这里"), "js.loop.outer": ("the outer run waits here", "外层的运行停在这里"),
    "js.loop.closed": ("closed", "RunLoop 不在这里"), "js.loop.closed.waits": ("closed: waits", "RunLoop 不在这里，只能等"), "js.loop.empty": ("empty", "空"), "js.loop.common": (" common", " common"),
    "js.loop.asleep": ("☾ asleep", "☾ 休眠"), "js.loop.asleep.until": ("☾ asleep until {0}", "☾ 休眠到 {0}"),
    "js.loop.at": ("at {0}", "{0}"), "js.loop.due": ("due since {0}", "{0}时已到期"), "js.loop.waits": (", waits", "，等待中"),
    "js.loop.mark.firing": ("called", "回调中"), "js.loop.mark.signaled": ("signalled", "已标记"), "js.loop.mark.message": ("has a message", "有消息"), "js.loop.mark.invalid": ("invalid", "已失效"),
    "js.loop.bubble.spends": ("busy for {0}", "忙 {0}"), "js.loop.bubble.runs": ("runs the loop in {0}", "在 {0} 下运行 RunLoop"),
}

#: A statement that decides with what a run returns, and one in which the thread waits.
RESULT = re.compile(r"\b(?:retVal|result) = kCFRunLoopRun|\breturn .*kCFRunLoopRun")
WAIT = re.compile(r"__CFPortSetWait\(")

#: (the field, or its end after the object's name; the new value, or * for any; the sentence). {o} is the object, {v} the value.
CHANGES = [
    ("loop.ignoreWakeUps", "WAKE", ("From now on the thread is certain to look for changes before it sleeps, so wake-ups are left out.",
                                    "从现在起，线程休眠前一定会检查变化，所以唤醒可以省略。")),
    ("loop.ignoreWakeUps", "0", ("From now on each wake-up is sent, because the thread may go to sleep.", "从现在起，每次唤醒都会发送，因为线程可能要休眠。")),
    ("loop._wakeUpPort", "a message", ("The wake-up port has a message. It stays there, so the next sleep ends at once.", "唤醒端口有了消息。消息会留在那里，所以下次休眠立即结束。")),
    ("loop._wakeUpPort", "empty", ("The message of the wake-up port is received.", "唤醒端口的消息被接收。")),
    ("loop._wakeUpSent", "true", ("The set knows that a message waits.", "端口集知道有消息在等待。")),
    ("loop.sleeping", "true", ("CFRunLoopIsWaiting is true now.", "CFRunLoopIsWaiting 现在返回 true。")),
    ("loop.sleeping", "false", ("CFRunLoopIsWaiting is false now.", "CFRunLoopIsWaiting 现在返回 false。")),
    ("loop.stopped", "STOP", ("The innermost run is marked as stopped. It ends when its pass ends.", "最内层的运行被标记为停止，这一轮结束时它就结束。")),
    ("loop.stopped", "0", ("The mark of the stop is cleared.", "停止标记被清除。")),
    ("loop._currentMode", "NULL", ("No run is active any more.", "已没有活动的运行。")),
    ("loop._currentMode", "*", ("The current mode is {v}.", "当前 mode 是 {v}。")),
    ("loop._blocks", "1", ("A block waits.", "有一个 block 在等待。")),
    ("loop._blocks", "0", ("No block waits.", "没有 block 在等待。")),
    ("loop._hasNested", "true", ("A nested run has ended: this run looks for work once more before it sleeps.", "嵌套的运行已结束：这次运行在休眠前会再检查一次。")),
    ("main queue.work", "0", ("The main queue's port is empty.", "主队列的端口空了。")),
    ("main queue.work", "*", ("The main queue has work: its port is ready.", "主队列有任务：端口就绪。")),
    ("run", "0", ("The run is over.", "运行结束。")),
    ("run", "1", ("One run is active.", "有一层运行。")),
    ("run", "2", ("A run is nested in the first one.", "第一层运行里又嵌套了一层。")),
    (".signaled", "true", ("{o} is signalled.", "{o} 被标记为待处理。")),
    (".signaled", "false", ("The signal of {o} is cleared.", "{o} 的标记被清除。")),
    (".firing", "true", ("{o} is marked as firing.", "{o} 标记为正在回调。")),
    (".firing", "false", ("{o} fires no more.", "{o} 的回调结束。")),
    (".valid", "false", ("{o} is invalid from now on.", "{o} 从此失效。")),
    (".due", "true", ("{o} is due. It fires when the loop serves the timers of a mode that it is in.", "{o} 到期。RunLoop 处理它所在 mode 的 Timer 时，它就会触发。")),
    ("._fireTSR", "*", ("{o} is due at {v}.", "{o} 在 {v} 到期。")),
    (".port", "a message", ("The port of {o} has a message.", "{o} 的端口有消息。")),
    (".port", "nothing to read", ("The port of {o} is empty.", "{o} 的端口空了。")),
    ("._timerSoftDeadline", "never", ("", "")),
    ("._timerSoftDeadline", "*", ("The first timer of {o} is due at {v}.", "{o} 的第一个 Timer 在 {v} 到期。")),
    ("._portSet.timerDeadline", "never", ("The timer port is not armed any more.", "定时端口不再设定。")),
    ("._portSet.timerDeadline", "*", ("The timer port goes off at {v}.", "定时端口在 {v} 就绪。")),
    ("._timers", "*", ("Timers of {o}: {v}.", "{o} 的 Timer：{v}。")),
    ("lock", "", ("The lock of {o} is released.", "{o} 的锁被释放。")),
    ("lock", "*", ("The {v} takes the lock of {o}.", "{v}取得 {o} 的锁。")),
]

# The words of the picture that are explained below it, each with the name whose card says more.
WORDS = [("items", ""), ("bubble", "__CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__"), ("common", "kCFRunLoopCommonModes"), ("blocks", "CFRunLoopPerformBlock"),
         ("queue", "__CFRUNLOOP_IS_SERVICING_THE_MAIN_DISPATCH_QUEUE__"), ("wake", "CFRunLoopWakeUp")]


@functools.cache
def missing():
    """Why there can be no module here; nothing if there can."""
    done = subprocess.run([ROOT / "Scripts/build-wasm", "--tools"], cwd=ROOT, capture_output=True, text=True)
    return done.stderr.strip().removeprefix("build-wasm: ") if done.returncode == 77 else ""


@functools.cache
def module():
    """The module in base64 and the table of its statements; nothing if it cannot be built here."""
    background.wait(module)
    if missing():
        print(f"reading-edition: without the programs of {play.PAGE}: {missing()}", file=sys.stderr)
        return None
    if not KEY.is_file() or KEY.read_text() != lab.digest(MADE_OF, "*.*"):
        compile()
        KEY.write_text(lab.digest(MADE_OF, "*.*"))
    return compiled()


def compile(*options):
    """Makes the module and the table with these options of Scripts/build-wasm."""
    done = subprocess.run([ROOT / "Scripts/build-wasm", *options], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"Scripts/build-wasm {' '.join(options)}: {done.stderr.strip() or done.stdout.strip()}")


def compiled():
    """The module and the table, as Scripts/build-wasm has made them."""
    table = json.loads((ROOT / TABLE).read_text(encoding="utf-8"))
    return table | {"module": base64.b64encode((ROOT / MODULE).read_bytes()).decode()}


def homes(site):
    """The pages that a program belongs to, its item of an article or its chapter of the book: program, address, words of the link."""
    for example in play.examples(site.language):
        yield example["text"], f"items/{example['item']}.html", site.text("play.item", item=example["item"])
    for chapter in book.chapters(site.language):
        page = document.Document.of(site, chapter.path)
        number, title = page.title.split(". ", 1)
        # its own programs, and the examples of the items that it answers
        for program in dict.fromkeys([program for program, _ in chapter.programs] + [example["text"] for example in play.examples(site.language) if example["item"] in chapter.items]):
            yield program, page.page, site.text("play.chapter", number=number, title=title)


def program_of(broken, language="en"):
    """The program that shows a break: an example, or one of a chapter, as a language has it."""
    kind, _, number = broken.program.rpartition(" ")
    number, _, of_chapter = number.partition("#")
    return book.chapters(language)[int(number) - 1].programs[int(of_chapter or 1) - 1][0] if kind else play.examples(language)[int(number) - 1]["text"]


def shower_of(site, broken):
    """What a link calls the program that shows a break."""
    kind, _, number = broken.program.rpartition(" ")
    return site.text(f"play.shows.{'chapter' if kind else 'example'}", number=number.partition("#")[0])


def statements(table, pattern):
    """The numbers of the statements with a line that fits."""
    lines = [(ROOT / path).read_text(encoding="utf-8").splitlines() for path in table["files"]]
    found = [number for number, (file, line, *_) in enumerate(table["statements"]) if pattern.search(lines[file][line - 1])]
    if not found:
        raise Failure(f"pages/play.py: no statement of the loop fits {pattern.pattern}")
    return found


def alone(site):
    """The page in one file, for a lecture without a network, or for a server of your own. Its links to other pages of the edition are plain words."""
    if play.ALONE not in site.pages:
        return
    page = site.files[play.PAGE]
    head, main = re.findall(r'<link rel="stylesheet" href="\S*static/(\S+)">|<script src="\S*static/(\S+)"', page), re.search(r"<main.*</main>", page, re.S)[0]
    text = {name: (STATIC / name).read_text(encoding="utf-8") for name in map("".join, head)}
    data = [site.files[f"data/{name}.js"] for name in ("text", "play-examples", "play-words")]
    data.append(script("../../play", site.common["play.js"]))
    for path in site.common["play.js"]["play"]["files"]:  # without the targets of its links
        data.append(script(f"../../{site.code[path]}", {f"code:{path}": site.common[f"{site.code[path]}.js"][f"code:{path}"] | {"names": {}, "paths": []}}))
    scripts = [text["edition.js"], "edition.alone = true;\nedition.arrived = name => edition.arrivals.set(name, { promise: Promise.resolve() });\n", *data,
               *(content for name, content in text.items() if name.endswith(".js") and name not in ("edition.js", "search.js", "find.js"))]
    site.files[play.ALONE] = site.templates.get_template("alone.html").render(
        title=site.text("play.title"), styles=[Markup(content) for name, content in text.items() if name.endswith(".css")],
        main=Markup(re.sub(r'(<a\b[^>]*?) href="(?!#|https:)[^"]*"', r"\1", main)), scripts=[Markup(re.sub(r"<(?=/script|!--)", r"\\x3c", content)) for content in scripts])


def build(site):
    table = module()
    if table:
        site.shared("play", {"play": table})
        site.data("play-examples", "play-examples", [[example["title"], example["text"]] for example in play.examples(site.language)])
        known = tables.functions()
        sentences = {name: tables.function(name) for _, name in table["functions"] if name in known}
        site.data("play-words", "play-words", {
            "homes": [[program, site.href(address), words] for program, address, words in homes(site)],
            "breaks": {each.number: {"words": each.words[site.language], "old": each.line(breaks.text_of(each.file))[1].strip(), "steps": each.steps, "program": program_of(each, site.language), "shower": shower_of(site, each)} for each in breaks.breaks()},
            "results": statements(table, RESULT),
            "waits": statements(table, WAIT),
            "activities": {step: [bit, tables.ACTIVITIES[bit]] for bit, step in tables.STEP_OF_ACTIVITY.items()},
            "short": {number: step.words[site.language][:1].upper() + step.words[site.language][1:] for number, step in tables.steps().items()},
            "steps": {number: step.whole(site.language).replace("`", "") for number, step in tables.steps().items()},
            "code": {path: site.code[path] for path in table["files"] if path in site.code},
            "changes": [[field, value, words[site.text.index]] for field, value, words in CHANGES],
            "functions": {name: site.text("play.callout.to", what=function.sentence(site.language)) if function.callout else function.sentence(site.language)
                          for name, function in sentences.items()}})
        site.pages[play.ALONE] = set()
    size = len(json.dumps(table)) if table else 0
    if size > LIMIT // 2:
        raise Failure(f"{play.PAGE}: its module and table have {size} bytes, more than half of what the page may load")
    site.page(play.PAGE, site.text("play.title"), "play.html", kind="play", has=bool(table), first=FIRST,
              examples=[example["title"] for example in play.examples(site.language)], words=WORDS, language_page=document.address(play.PROGRAMS["en"]))
