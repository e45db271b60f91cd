/// DebuggerScenarios.c: programs for the commands in Debugging/, each with the output that the commands must print for it.
///
/// A comment that begins with "session" is a session with the debugger: the commands, each followed by its output. Scripts/check-debugging
/// gives the commands to gdb and to lldb and compares the output. Addresses, times, descriptors and line numbers may differ. "..." stands
/// for any number of lines if it is alone in a line, otherwise for any characters.
#include "../../CTests/CTests.h"
#include "../../CTests/LoopSupport.h"
#include <CoreFoundation/CFRunLoopEmbedding.h>
#include <CoreFoundation/CoreFoundation.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

/// Counts the calls, so that the bodies of the functions below all differ and the linker folds no two into one.
static volatile int calls[12];

#define TRACKING CFSTR("Tracking")

// MARK: - Items

static CFRunLoopTimerRef addTimer(CFRunLoopRef rl, double delay, double interval, double tolerance, CFRunLoopTimerCallBack callback, CFStringRef mode) {
    CFRunLoopTimerRef timer = CFRunLoopTimerCreate(NULL, CFAbsoluteTimeGetCurrent() + delay, interval, 0, 0, callback, NULL);
    CFRunLoopTimerSetTolerance(timer, tolerance);
    CFRunLoopAddTimer(rl, timer, mode);
    CFRelease(timer);
    return timer; // the loop retains it
}

static CFRunLoopSourceRef addSource0(CFIndex order, void (*perform)(void *info)) {
    CFRunLoopSourceContext context = {.perform = perform};
    CFRunLoopSourceRef source = CFRunLoopSourceCreate(NULL, order, &context);
    CFRunLoopAddSource(CFRunLoopGetCurrent(), source, kCFRunLoopDefaultMode);
    CFRelease(source);
    return source;
}

static __typeof__(((CFRunLoopSourceContext1 *)0)->getPort(NULL)) portInInfo(void *info) {
    return (__typeof__(portInInfo(NULL)))(intptr_t)info;
}

/// A Source1 on an eventfd. Returns the eventfd.
static int addSource1(CFRunLoopRef rl, void (*perform)(void *info), CFStringRef mode) {
    int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    CFRunLoopSourceContext1 context = {.version = 1, .info = (void *)(intptr_t)descriptor, .getPort = portInInfo, .perform = perform};
    CFRunLoopSourceRef source = CFRunLoopSourceCreate(NULL, 0, (CFRunLoopSourceContext *)&context);
    CFRunLoopAddSource(rl, source, mode);
    CFRelease(source);
    return descriptor;
}

static void addObserver(CFOptionFlags activities, CFIndex order, CFRunLoopObserverCallBack callback) {
    CFRunLoopObserverRef observer = CFRunLoopObserverCreate(NULL, activities, true, order, callback, NULL);
    CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer, kCFRunLoopCommonModes);
    CFRelease(observer);
}

// MARK: - A thread that sleeps in its loop

static _Atomic(CFRunLoopRef) workersLoop;

void worker_port_is_ready(void *info) {
    calls[0]++;
}

static void *worker(void *unused) {
    pthread_setname_np(pthread_self(), "worker");
    int descriptor = addSource1(CFRunLoopGetCurrent(), worker_port_is_ready, kCFRunLoopDefaultMode);
    workersLoop = CFRunLoopGetCurrent();
    CFRunLoopRun();
    close(descriptor);
    return NULL;
}

static void waitForWorker(void) {
    CHECK(WAIT_UNTIL(workersLoop && CFRunLoopIsWaiting(workersLoop), 10));
    usleep(20000); // time for the thread to get from the flag into the system call
}

/// Starts a thread that sets workersLoop, and waits until it sleeps in that loop.
static pthread_t startWorker(void *(*body)(void *unused)) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    waitForWorker();
    return thread;
}

static void stopWorker(pthread_t thread) {
    CFRunLoopStop(workersLoop);
    pthread_join(thread, NULL);
}

// MARK: - A loop with an item of every kind

void inspected_touch(void *info) {
    calls[1]++;
}

void inspected_idle(void *info) {
    calls[2]++;
}

void inspected_port_is_ready(void *info) {
    calls[3]++;
}

void inspected_commit(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) {
    calls[4]++;
}

void inspected_heartbeat(CFRunLoopTimerRef timer, void *info) {
    calls[5]++;
}

static CFRunLoopRef inspectedLoop;
static CFRunLoopSourceRef touch;

void inspected_tick(CFRunLoopTimerRef timer, void *info) {
    calls[6]++;
    CFRunLoopSourceSignal(touch);
}

void inspected_end(CFRunLoopTimerRef timer, void *info) {
    calls[7]++;
    CFRunLoopStop(CFRunLoopGetCurrent());
}

static void waitInTracking(void) {
    CFRunLoopPerformBlock(CFRunLoopGetCurrent(), TRACKING, ^{
        calls[8]++;
    });
}

// session inspected: scenario inspected
// (gdb) b inspected_end
// ...
// (gdb) run
// ...
// (gdb) rl-loops
// * 0x1000  thread 1 "CScenarios" (main)  in kCFRunLoopDefaultMode: step 9.1, in a timer's callback, inspected_end
//   0x1000  thread 2 "worker"  in kCFRunLoopDefaultMode: asleep (step 7)
// 2 loops; * marks the selected thread's.
// (gdb) rl-tree
// CFRunLoop 0x1000, thread 1 "CScenarios" (main)
//   in kCFRunLoopDefaultMode: step 9.1, in a timer's callback, inspected_end
//   runs: 1, stop: no, wake-ups: ignored
//   common modes: kCFRunLoopDefaultMode, Tracking
//   common mode items: 2
//     0x1000 observer, order 2000000, BeforeWaiting Exit, calls inspected_commit
//     0x1000 timer, due in 999.975 s, tolerance 6 s, every 60 s, calls inspected_heartbeat
//   blocks for the common modes: none
//   mode kCFRunLoopDefaultMode 0x1000 (common, current)
//     Source0: 2
//       0x1000 order 0, performs inspected_touch, signalled
//       0x1000 order 1, performs inspected_idle, not signalled
//     Source1: 1
//       0x1000 order 0, port 7, performs inspected_port_is_ready
//     observers: 1
//       0x1000 order 2000000, BeforeWaiting Exit, calls inspected_commit
//     timers: 2
//       0x1000 due for 0.025 s, once, calls inspected_end, in its callback
//       0x1000 due in 999.975 s, tolerance 6 s, every 60 s, calls inspected_heartbeat
//     blocks: none
//     ports: set 9; wake-up 3; timer (due in 999.975 s); main dispatch queue
//   mode Tracking 0x1000 (common)
//     Source0: none
//     Source1: none
//     observers: 1
//       0x1000 order 2000000, BeforeWaiting Exit, calls inspected_commit
//     timers: 1
//       0x1000 due in 999.975 s, tolerance 6 s, every 60 s, calls inspected_heartbeat
//     blocks: 1
//       0x1000 __waitInTracking_block_invoke
//     ports: wake-up 3; timer (due in 999.975 s)
// (gdb) rl-why
// Step 9.1 of a run in kCFRunLoopDefaultMode: the timers that are due fire.
// Left out: step 5 (the first pass of a run does not check the main dispatch queue).
// Woken by the timer port.
// Leads to: step 9.1, the timers that are due:
//   0x1000 due for 0.033 s, once, calls inspected_end, in its callback
// Signalled, and performed in the next step 4: inspected_touch, of the Source0 0x1000.
// (gdb) rl-bt
// #0   inspected_end  at DebuggerScenarios.c:117
// #1   __CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__  at CFRunLoopCallouts.c:21
//        step 9.1: Calls out to a timer's callback, inspected_end.
// #2   __CFRunLoopDoTimer  at CFRunLoopTimer.c:613
//        step 9.1: Fires one timer, then sets its next date or invalidates it. It is 0x1000.
// #3   __CFRunLoopDoTimers  at CFRunLoopTimer.c:644
//        step 9.1: Fires the timers that are due, one after the other.
// #4   __CFRunLoopRun  at CFRunLoop.c:182
//        step 9.1: The passes of a run, steps 2 to 9.
// #5   CFRunLoopRunSpecific  at CFRunLoop.c:64
//        One run, from Entry (1) to Exit (10). Mode: kCFRunLoopDefaultMode.
// #6   CFRunLoopRun  at CFRunLoop.c:31
//        Runs the calling thread's loop in the default mode until it is stopped or the mode is empty.
// #7   test_inspected  at DebuggerScenarios.c:213
// #8   runHere  at main.c:120
// #9   main...
// (gdb) rl-check
// CFRunLoop 0x1000, thread 1 "CScenarios": no problem found.
// (gdb) rl-bt 3
// rl-bt: The command takes no argument.
// (gdb) rl-tree -1
// rl-tree: -1 is no address.
// (gdb) rl-explain __CFRunLoopRun
// __CFRunLoopRun: The loop itself: the do-while whose passes are the steps 2 to 9.
//   here: Sources/CRunLoop/CFRunLoop.c:...
//   original: static function: CF-855, CF-1153, current, Linux build
//   verdict: adapted
// ...
// (gdb) rl-explain _per_run_data
// _per_run_data: The struct of what the loop notes for one run: ...
//   here: Sources/CRunLoop/CFRunLoop_Internal.h:...
// ...

CHILD(inspected, "A main loop with an item of every kind, and a thread that sleeps in its own loop; for a debugger") {
    CFRunLoopRef rl = inspectedLoop = CFRunLoopGetCurrent();
    pthread_t thread = startWorker(worker);
    CFRunLoopAddCommonMode(rl, TRACKING);
    touch = addSource0(0, inspected_touch);
    addSource0(1, inspected_idle);
    int descriptor = addSource1(rl, inspected_port_is_ready, kCFRunLoopDefaultMode);
    addObserver(kCFRunLoopBeforeWaiting | kCFRunLoopExit, 2000000, inspected_commit);
    addTimer(rl, 1000, 60, 6, inspected_heartbeat, kCFRunLoopCommonModes);
    waitInTracking();
    // Both are due at once, so they fire in one pass: when the second fires, the source that the first has signalled still waits.
    addTimer(rl, 0, 0, 0, inspected_tick, kCFRunLoopDefaultMode);
    addTimer(rl, 0, 0, 0, inspected_end, kCFRunLoopDefaultMode);
    CFRunLoopRun();
    CHECK(calls[1] == 1 && calls[7] == 1);
    stopWorker(thread);
    close(descriptor);
}

// MARK: - Asleep

void asleep_never(CFRunLoopTimerRef timer, void *info) {
    calls[9]++;
}

// session asleep: scenario asleep
// (gdb) b asleep_look_here
// ...
// (gdb) run
// ...
// (gdb) rl-why
// Thread 1 is not in a run of its loop; nothing has woken it.
// (gdb) thread 2
// ...
// (gdb) rl-why
// Step 7 of a run in kCFRunLoopDefaultMode: the thread sleeps until something wakes it.
// Left out: step 5 (only the main thread's loop serves the main dispatch queue).
// It has slept for 0.039 s.
// Nothing has woken it yet. It can be woken by
//   descriptor 4, the wake-up port: CFRunLoopWakeUp or CFRunLoopStop is called
//   descriptor 5, the port of a Source1: performs worker_port_is_ready
//   nothing else: the run has no time limit
// (gdb) rl-bt
// ...
// #... epoll_wait...
// #... __CFPortSetEpollWait  at CFPortSet.c:373
//        step 7: Asks the kernel for a port that is ready.
// #... __CFPortSetWait  at CFPortSet.c:318
//        step 7: Waits until a port is ready, and waits again if a signal handler interrupts it.
// #... __CFRunLoopServiceMachPort  at CFRunLoop.c:220
//        step 7: Waits for the ports of the mode's set; on a Mac in mach_msg.
// #... __CFRunLoopRun  at CFRunLoop.c:151
//        step 7: The passes of a run, steps 2 to 9.
// #... CFRunLoopRunSpecific  at CFRunLoop.c:67
//        One run, from Entry (1) to Exit (10). Mode: kCFRunLoopDefaultMode.
// #... CFRunLoopRun  at CFRunLoop.c:37
//        Runs the calling thread's loop in the default mode until it is stopped or the mode is empty.
// #... worker  at DebuggerScenarios.c:69
// ...
// (gdb) rl-loops
//   0x1000  thread 1 "CScenarios" (main)  does not run
// * 0x1000  thread 2 "worker"  in kCFRunLoopDefaultMode: asleep (step 7)
// 2 loops; * marks the selected thread's.

void asleep_look_here(void) {
    calls[10]++;
}

CHILD(asleep, "One thread sleeps in its loop, and another stops at a breakpoint; for a debugger") {
    pthread_t thread = startWorker(worker);
    asleep_look_here();
    stopWorker(thread);
}

// MARK: - Asleep, and nobody has woken it

static CFRunLoopSourceRef unwokenSource;

void unwoken_perform(void *info) {
    calls[1]++;
}

static void *unwokenWorker(void *unused) {
    pthread_setname_np(pthread_self(), "worker");
    unwokenSource = addSource0(0, unwoken_perform);
    workersLoop = CFRunLoopGetCurrent();
    CFRunLoopRun();
    return NULL;
}

// session unwoken: scenario unwoken
// (gdb) b unwoken_look_here
// ...
// (gdb) run
// ...
// (gdb) thread 2
// ...
// (gdb) rl-why
// Step 7 of a run in kCFRunLoopDefaultMode: the thread sleeps until something wakes it.
// Left out: step 5 (only the main thread's loop serves the main dispatch queue).
// It has slept for 0.039 s.
// Signalled 0.001 s ago, but nobody has called CFRunLoopWakeUp since: unwoken_perform, of the Source0 0x1000, waits until something else wakes the loop.
// Queued, but nobody has called CFRunLoopWakeUp since: the block __leaveUnwoken_block_invoke waits until something else wakes the loop.
// Nothing has woken it yet. It can be woken by
//   descriptor 4, the wake-up port: CFRunLoopWakeUp or CFRunLoopStop is called
//   nothing else: the run has no time limit
// (gdb) rl-check
// Note: Signalled 0.001 s ago, but nobody has called CFRunLoopWakeUp since: unwoken_perform, of the Source0 0x1000, waits until something else wakes the loop.
// Note: Queued, but nobody has called CFRunLoopWakeUp since: the block __leaveUnwoken_block_invoke waits until something else wakes the loop.
// CFRunLoop 0x1000, thread 2 "worker": its structures are consistent.
// (gdb) rl-next
// Nothing will happen by itself: thread 2 sleeps until it is woken by
//   descriptor 4, the wake-up port: CFRunLoopWakeUp or CFRunLoopStop is called
//   nothing else: the run has no time limit
// Signalled 0.001 s ago, but nobody has called CFRunLoopWakeUp since: unwoken_perform, of the Source0 0x1000, waits until something else wakes the loop.
// Queued, but nobody has called CFRunLoopWakeUp since: the block __leaveUnwoken_block_invoke waits until something else wakes the loop.
// rl-next 8 continues the program until then.
// To wake the loop now: call (void)CFRunLoopWakeUp((CFRunLoopRef)0x1000)
// (gdb) rl-next main-queue
// Thread 2 never gets there: only the main thread's loop serves the main dispatch queue.
// (gdb) rl-next 5
// Thread 2 never gets there: only the main thread's loop serves the main dispatch queue.
// (gdb) rl-next 8
// step 8: observers of AfterWaiting are notified  (CFRunLoop.c:227)
// (gdb) rl-why
// Step 8 of a run in kCFRunLoopDefaultMode: observers of AfterWaiting are notified.
// Left out: step 5 (only the main thread's loop serves the main dispatch queue).
// Woken by the wake-up port, descriptor 4: CFRunLoopWakeUp or CFRunLoopStop was called.
// Leads to: nothing to serve. Queued blocks are performed; sources that were signalled meanwhile follow in step 4 of the next pass.
// Signalled, and performed in the next step 4: unwoken_perform, of the Source0 0x1000.
// (gdb) rl-check
// ...
// CFRunLoop 0x1000, thread 2 "worker": no problem found.

// session unwoken-zh: scenario unwoken, in Chinese
// (gdb) b unwoken_look_here
// ...
// (gdb) run
// ...
// (gdb) thread 2
// ...
// (gdb) rl-why
// 步骤 7，运行在 kCFRunLoopDefaultMode 里：线程休眠，直到被唤醒。
// 跳过：步骤 5（只有主线程的 RunLoop 处理主队列）。
// 它已经休眠 0.041 秒。
// 0.001 秒前已标记 Source0，之后没有调用 CFRunLoopWakeUp：unwoken_perform（Source0 0x1000）要等到 RunLoop 因为别的原因醒来，才会执行。
// 已加入 block，却没有调用 CFRunLoopWakeUp：__leaveUnwoken_block_invoke 要等到 RunLoop 因为别的原因醒来，才会执行。
// 还没有被唤醒。能唤醒它的有：
//   描述符 4，唤醒端口：调用 CFRunLoopWakeUp 或 CFRunLoopStop
//   此外没有：这次运行不会超时
// (gdb) rl-check
// 注意：0.001 秒前已标记 Source0，之后没有调用 CFRunLoopWakeUp：unwoken_perform（Source0 0x1000）要等到 RunLoop 因为别的原因醒来，才会执行。
// 注意：已加入 block，却没有调用 CFRunLoopWakeUp：__leaveUnwoken_block_invoke 要等到 RunLoop 因为别的原因醒来，才会执行。
// CFRunLoop 0x1000，线程 2 "worker"：数据结构一致。
// (gdb) rl-next
// 线程 2 不会自己继续：它要休眠到被唤醒为止。能唤醒它的有：
//   描述符 4，唤醒端口：调用 CFRunLoopWakeUp 或 CFRunLoopStop
//   此外没有：这次运行不会超时
// 0.001 秒前已标记 Source0，之后没有调用 CFRunLoopWakeUp：unwoken_perform（Source0 0x1000）要等到 RunLoop 因为别的原因醒来，才会执行。
// 已加入 block，却没有调用 CFRunLoopWakeUp：__leaveUnwoken_block_invoke 要等到 RunLoop 因为别的原因醒来，才会执行。
// rl-next 8 让程序继续执行，直到线程醒来。
// 现在就唤醒这个 RunLoop：call (void)CFRunLoopWakeUp((CFRunLoopRef)0x1000)
// (gdb) rl-next 5
// 线程 2 永远不会到那里：只有主线程的 RunLoop 处理主队列。
// (gdb) rl-next 8
// 步骤 8：通知 Observer：刚被唤醒（AfterWaiting）  （CFRunLoop.c:227）
// (gdb) rl-why
// 步骤 8，运行在 kCFRunLoopDefaultMode 里：通知 Observer：刚被唤醒（AfterWaiting）。
// 跳过：步骤 5（只有主线程的 RunLoop 处理主队列）。
// 唤醒它的是唤醒端口，描述符 4：有线程调用了 CFRunLoopWakeUp 或 CFRunLoopStop。
// 接下来：没有要处理的端口。执行加入队列的 block；这期间标记的 Source0，在下一轮的步骤 4 执行。
// 已标记为待处理，下一个步骤 4 会执行：unwoken_perform（Source0 0x1000）。

// session woken: scenario unwoken, gdb only
// (gdb) b unwoken_look_here
// ...
// (gdb) run
// ...
// (gdb) set scheduler-locking on
// (gdb) call (void)CFRunLoopWakeUp(workersLoop)
// (gdb) set scheduler-locking off
// (gdb) thread 2
// ...
// (gdb) rl-why
// Step 7 of a run in kCFRunLoopDefaultMode: the thread sleeps until something wakes it.
// Left out: step 5 (only the main thread's loop serves the main dispatch queue).
// It has slept for 0.039 s.
// It is about to wake up, because
//   CFRunLoopWakeUp or CFRunLoopStop was called
// Signalled, and performed in the next step 4: unwoken_perform, of the Source0 0x1000.
// (gdb) rl-check
// CFRunLoop 0x1000, thread 2 "worker": no problem found.
// (gdb) rl-next
// step 8: observers of AfterWaiting are notified  (CFRunLoop.c:227)

void unwoken_look_here(void) {
    calls[2]++;
}

static void leaveUnwoken(void) {
    pthread_t thread = startWorker(unwokenWorker);
    CFRunLoopSourceSignal(unwokenSource);
    CFRunLoopPerformBlock(workersLoop, kCFRunLoopCommonModes, ^{
        calls[4]++;
    });
    unwoken_look_here();
    CFRunLoopWakeUp(workersLoop);
    CHECK(WAIT_UNTIL(calls[1] == 1 && calls[4] == 1, 10));
    stopWorker(thread);
}

CHILD(unwoken, "One thread sleeps in its loop, and another signals a source of it and queues a block, but does not wake it; for a debugger") {
    leaveUnwoken();
}

// MARK: - Embedded

static int embeddedPipe[2], embeddedPort;
static _Atomic(int) embeddedServes;
static CFRunLoopSourceRef embeddedSource;

void embedded_touch(void *info) {
    calls[5]++;
}

void embedded_served(void) {
    embeddedServes++;
}

/// Waits for the loop and for the pipe, and after a byte on the pipe only for the pipe.
static void *embeddedHost(void *unused) {
    pthread_setname_np(pthread_self(), "host");
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    embeddedPort = addSource1(rl, worker_port_is_ready, kCFRunLoopDefaultMode);
    embeddedSource = addSource0(0, embedded_touch);
    addTimer(rl, 1000, 0, 0, asleep_never, kCFRunLoopDefaultMode);
    struct pollfd descriptors[] = {{embeddedPipe[0], POLLIN, 0}, {CFRunLoopGetDescriptor(rl, kCFRunLoopDefaultMode), POLLIN, 0}};
    workersLoop = rl;
    int count = 2;
    char byte = 0;
    while (byte != 'q') {
        poll(descriptors, (nfds_t)count, -1);
        if (count == 2 && descriptors[1].revents) {
            CFRunLoopServe(rl, kCFRunLoopDefaultMode);
            embedded_served();
        }
        if (descriptors[0].revents && read(embeddedPipe[0], &byte, 1) == 1) count = 1;
    }
    close(embeddedPort);
    return NULL;
}

static void tellHost(char byte) {
    CHECK(write(embeddedPipe[1], &byte, 1) == 1);
    usleep(100000); // time for the thread to get back into poll
}

// session embedded: scenario embedded
// (gdb) b embedded_look_here
// ...
// (gdb) run
// ...
// (gdb) thread 2
// ...
// (gdb) rl-loops
//   0x1000  thread 1 "CScenarios" (main)  does not run
// * 0x1000  thread 2 "host"  embedded in another event loop: asleep in its host's poll
// 2 loops; * marks the selected thread's.
// (gdb) rl-why
// Thread 2 is in no run of its loop. The loop is embedded in another event loop: asleep in its host's poll.
// Signalled 0.001 s ago, but nobody has called CFRunLoopWakeUp since: embedded_touch, of the Source0 0x1000, waits until something else wakes the loop.
// The host serves kCFRunLoopDefaultMode when descriptor 9 is readable. What makes it readable:
//   descriptor 6, the wake-up port: CFRunLoopWakeUp or CFRunLoopStop is called
//   the timer port: due in 999.878 s, for asleep_never
//   descriptor 7, the port of a Source1: performs worker_port_is_ready
// (gdb) rl-check
// Note: Signalled 0.001 s ago, but nobody has called CFRunLoopWakeUp since: embedded_touch, of the Source0 0x1000, waits until something else wakes the loop.
// CFRunLoop 0x1000, thread 2 "host": its structures are consistent.
// (gdb) rl-next
// Nothing will happen by itself: thread 2 is in no run of its loop. The loop is embedded in another event loop: asleep in its host's poll.
// The host serves kCFRunLoopDefaultMode when descriptor 9 is readable. What makes it readable:
//   descriptor 6, the wake-up port: CFRunLoopWakeUp or CFRunLoopStop is called
//   the timer port: due in 999.869 s, for asleep_never
//   descriptor 7, the port of a Source1: performs worker_port_is_ready
// Signalled 0.001 s ago, but nobody has called CFRunLoopWakeUp since: embedded_touch, of the Source0 0x1000, waits until something else wakes the loop.
// rl-next 1 continues the program until then.
// To wake the loop now: call (void)CFRunLoopWakeUp((CFRunLoopRef)0x1000)

// session forgotten: scenario embedded
// (gdb) b embedded_look_again
// ...
// (gdb) run
// ...
// (gdb) thread 2
// ...
// (gdb) rl-why
// Thread 2 is in no run of its loop. The loop is embedded in another event loop: asleep in its host's poll.
// The host must serve kCFRunLoopDefaultMode: descriptor 9 is readable, because
//   CFRunLoopWakeUp or CFRunLoopStop was called
//   descriptor 7, the port of a Source1, is ready: performs worker_port_is_ready
// If the thread sleeps on, its host does not wait for this descriptor.
// (gdb) rl-check
// CFRunLoop 0x1000, thread 2 "host": no problem found.
// (gdb) rl-next
// ...The program has ended, or was stopped by something else, before the thread got there.

// session left: scenario embedded, gdb only
// (gdb) b embedded_served
// ...
// (gdb) run
// ...
// (gdb) rl-loops
//   0x1000  thread 1 "CScenarios" (main)  does not run
// * 0x1000  thread 2 "host"  embedded in another event loop: does not run
// 2 loops; * marks the selected thread's.
// (gdb) set var ((CFRunLoopModeRef)((struct __CFArray *)workersLoop->_hostedModes)->_values[0])->_portSet->hostEventIsSet = 1
// (gdb) rl-why
// Thread 2 is in no run of its loop. The loop is embedded in another event loop: does not run.
// The host must serve kCFRunLoopDefaultMode: descriptor 9 is readable, because
//   the last run has left a signalled source or a block

void embedded_look_here(void) {
    calls[6]++;
}

void embedded_look_again(void) {
    calls[7]++;
}

CHILD(embedded, "A loop is embedded in the poll of another event loop, which later forgets it; for a debugger") {
    pthread_t thread;
    CHECK(pipe(embeddedPipe) == 0);
    pthread_create(&thread, NULL, embeddedHost, NULL);
    CHECK(WAIT_UNTIL(workersLoop != NULL, 10));
    CFRunLoopWakeUp(workersLoop);
    CHECK(WAIT_UNTIL(embeddedServes == 1, 10));
    usleep(100000); // as in tellHost
    CFRunLoopSourceSignal(embeddedSource);
    embedded_look_here();
    tellHost('f');
    CFRunLoopWakeUp(workersLoop);
    CHECK(eventfd_write(embeddedPort, 1) == 0);
    embedded_look_again();
    tellHost('q');
    pthread_join(thread, NULL);
    close(embeddedPipe[0]);
    close(embeddedPipe[1]);
}

// MARK: - Asleep until a limit

static void *limitedWorker(void *unused) {
    int descriptor = addSource1(CFRunLoopGetCurrent(), worker_port_is_ready, kCFRunLoopDefaultMode);
    workersLoop = CFRunLoopGetCurrent();
    CFRunLoopRunInMode(kCFRunLoopDefaultMode, 1000, false);
    close(descriptor);
    return NULL;
}

void limited_look_here(void) {
    calls[3]++;
}

CHILD(limited, "One thread sleeps in its loop until a limit, and another stops at a breakpoint; for a debugger") {
    pthread_t thread = startWorker(limitedWorker);
    limited_look_here();
    stopWorker(thread);
}

// MARK: - A run in a run

static void runNested(void) {
    CFRunLoopRunInMode(TRACKING, 10, false);
    calls[11]++;
}

void nested_inner(CFRunLoopTimerRef timer, void *info) {
    calls[1]++;
    CFRunLoopStop(CFRunLoopGetCurrent());
}

void nested_outer(CFRunLoopTimerRef timer, void *info) {
    addTimer(CFRunLoopGetCurrent(), 0, 0, 0, nested_inner, TRACKING);
    runNested();
    CFRunLoopStop(CFRunLoopGetCurrent());
}

// session nested: scenario nested
// (gdb) b nested_inner
// ...
// (gdb) run
// ...
// (gdb) rl-loops
// * 0x1000  thread 1 "CScenarios" (main)  in Tracking: step 9.1, in a timer's callback, nested_inner
// 1 loop; * marks the selected thread's.
// (gdb) rl-bt
// #0   nested_inner  at DebuggerScenarios.c:283
// #1   __CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__  at CFRunLoopCallouts.c:21
//        step 9.1: Calls out to a timer's callback, nested_inner.
// #2   __CFRunLoopDoTimer  at CFRunLoopTimer.c:613
//        step 9.1: Fires one timer, then sets its next date or invalidates it. It is 0x1000.
// #3   __CFRunLoopDoTimers  at CFRunLoopTimer.c:644
//        step 9.1: Fires the timers that are due, one after the other.
// #4   __CFRunLoopRun  at CFRunLoop.c:182
//        step 9.1: The passes of a run, steps 2 to 9.
// #5   CFRunLoopRunSpecific  at CFRunLoop.c:64
//        One run, from Entry (1) to Exit (10). Mode: Tracking.
// #6   CFRunLoopRunInMode  at CFRunLoop.c:37
//        Runs the calling thread's loop in a mode, and returns the reason why the run ended.
// #7   runNested  at DebuggerScenarios.c:278
// #8   nested_outer  at DebuggerScenarios.c:289
// #9   __CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__  at CFRunLoopCallouts.c:21
//        step 9.1: Calls out to a timer's callback, nested_outer.
// #10  __CFRunLoopDoTimer  at CFRunLoopTimer.c:613
//        step 9.1: Fires one timer, then sets its next date or invalidates it. It is 0x1000.
// #11  __CFRunLoopDoTimers  at CFRunLoopTimer.c:644
//        step 9.1: Fires the timers that are due, one after the other.
// #12  __CFRunLoopRun  at CFRunLoop.c:182
//        step 9.1: The passes of a run, steps 2 to 9.
// #13  CFRunLoopRunSpecific  at CFRunLoop.c:64
//        One run, from Entry (1) to Exit (10). Mode: ...
// #14  CFRunLoopRun  at CFRunLoop.c:31
//        Runs the calling thread's loop in the default mode until it is stopped or the mode is empty.
// #15  test_nested  at DebuggerScenarios.c:351
// #16  runHere  at main.c:120
// #17  main...
// (gdb) rl-check
// CFRunLoop 0x1000, thread 1 "CScenarios": no problem found.
// (gdb) rl-history
// CFRunLoop 0x1000: 0 passes completed
//   now: Tracking, in a run within 1 other: steps 2 3 4 6 7 8 9; slept 0.000 s, woken by the timer port; called: timer 1×
// (gdb) rl-why
// Step 9.1 of a run in Tracking: the timers that are due fire.
// Left out: step 5 (only a run in a common mode serves the main dispatch queue).
// ...
// (gdb) rl-next 10
// step 10: observers of Exit are notified  (CFRunLoop.c:66)
// (gdb) rl-loops
// * 0x1000  thread 1 "CScenarios" (main)  in Tracking: step 10
// 1 loop; * marks the selected thread's.
// (gdb) rl-next 10
// step 10: observers of Exit are notified  (CFRunLoop.c:66)
// (gdb) rl-loops
// * 0x1000  thread 1 "CScenarios" (main)  in kCFRunLoopDefaultMode: step 10
// 1 loop; * marks the selected thread's.
// (gdb) rl-next 10
// The program has ended, or was stopped by something else, before the thread got there.
// (gdb) rl-loops
// rl-loops: The program has not been started, or has ended: there is nothing to read.

CHILD(nested, "A timer's callback runs the loop in another mode; for a debugger") {
    addTimer(CFRunLoopGetCurrent(), 0, 0, 0, nested_outer, kCFRunLoopDefaultMode);
    CFRunLoopRun();
    CHECK(calls[11] == 1);
}

// MARK: - The main dispatch queue, and runs with a limit

void queue_inner(CFRunLoopTimerRef timer, void *info) {
    calls[8]++;
    CFRunLoopStop(CFRunLoopGetCurrent());
}

static void runInBlock(void) {
    addTimer(CFRunLoopGetCurrent(), 0, 0, 0, queue_inner, kCFRunLoopDefaultMode);
    CFRunLoopRunInMode(kCFRunLoopDefaultMode, 10, false);
}

void queue_last(void) {
    calls[9]++;
    CFRunLoopStop(CFRunLoopGetCurrent());
}

static void dispatchLast(CFRunLoopTimerRef timer, void *info) {
    dispatch_async(&_dispatch_main_q, ^{
        queue_last();
    });
}

// session queue: scenario queue, debug build
// (gdb) b queue_inner
// ...
// (gdb) run
// ...
// (gdb) rl-why
// Step 9.1 of a run in kCFRunLoopDefaultMode: the timers that are due fire.
// Left out: step 5 (a block of the main dispatch queue contains this run).
// ...
// (gdb) rl-next 6
// step 6: observers of BeforeWaiting are notified  (CFRunLoop.c:198)
// Left out: step 5 (the pass before has served the main dispatch queue).
// (gdb) rl-next
// step 7: the thread sleeps until something wakes it  (CFRunLoop.c:207)
// (gdb) rl-next
// step 8: observers of AfterWaiting are notified  (CFRunLoop.c:227)
// (gdb) rl-next 5
// step 5: the main loop checks, without waiting, whether the main dispatch queue has work  (CFRunLoop.c:189)
// (gdb) rl-next
// step 9: the loop serves what woke it, then waiting blocks, and decides whether to go on  (CFRunLoop.c:233)
// Left out: steps 6 7 8 (the main dispatch queue has work).
// (gdb) rl-next
// step 9.2: the main dispatch queue is served  (CFRunLoop.c:248)
// (gdb) rl-why
// Step 9.2 of a run in kCFRunLoopDefaultMode: the main dispatch queue is served.
// Left out: steps 6 7 8 (the main dispatch queue has work).
// Woken by the main dispatch queue's port: work was dispatched to the main queue.
// Leads to: step 9.2, which performs what is queued there.

CHILD(queue, "A block of the main dispatch queue runs the loop, and a timer dispatches another; for a debugger") {
    addTimer(CFRunLoopGetCurrent(), 0.05, 0, 0, dispatchLast, kCFRunLoopDefaultMode);
    dispatch_async(&_dispatch_main_q, ^{
        runInBlock();
    });
    CFRunLoopRun();
    CHECK(calls[8] == 1 && calls[9] == 1);
}

void limit_block(void) {
    calls[0]++;
}

static void performInLimit(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) {
    CFRunLoopPerformBlock(CFRunLoopGetCurrent(), kCFRunLoopDefaultMode, ^{
        limit_block();
    });
}

// session limit: scenario limit
// (gdb) b limit_block
// ...
// (gdb) run
// ...
// (gdb) rl-why
// Step 9 of a run in kCFRunLoopDefaultMode: the loop serves what woke it, then waiting blocks, and decides whether to go on.
// Left out: step 5 (the first pass of a run does not check the main dispatch queue).
// Woken because the run's time limit has passed.
// Leads to: nothing to serve. Queued blocks are performed; sources that were signalled meanwhile follow in step 4 of the next pass.
// (gdb) rl-history
// CFRunLoop 0x1000: 1 pass completed
//   1. kCFRunLoopDefaultMode: steps 2 3 4 7 9; did not sleep, and no port was ready; called: nothing
//   now: kCFRunLoopDefaultMode: steps 2 3 4 6 7 8 9; slept 0.010 s, woken by the run's time limit; called: block 1×, observer 1×

CHILD(limit, "A run that only polls, and one whose time limit passes; for a debugger") {
    addTimer(CFRunLoopGetCurrent(), 1000, 0, 0, asleep_never, kCFRunLoopDefaultMode);
    CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, false);
    addObserver(kCFRunLoopAfterWaiting, 0, performInLimit);
    CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0.01, false);
    CHECK(calls[0] == 1);
}

// MARK: - The exercise of the articles (Debugging/README.md)
//
// A touch arrives on the main thread, as a Source0. Its callback makes a resident thread do something, as a Source0 of that thread's loop,
// and there something else after a delay, as a timer. The scenario does what UIKit and performSelector do on a Mac.

static CFRunLoopSourceRef screen, worksSource;
static CFRunLoopRef mainLoop;

void exerciseIsOver(CFRunLoopTimerRef timer, void *info) {
    calls[0]++;
    CFRunLoopStop(mainLoop);
}

void performedAfterDelay(CFRunLoopTimerRef timer, void *info) {
    calls[4]++;
    addTimer(CFRunLoopGetCurrent(), 2, 0, 0, exerciseIsOver, kCFRunLoopDefaultMode);
}

void performedOnThread(void *info) {
    calls[5]++;
    addTimer(CFRunLoopGetCurrent(), 0.0001, 0, 0, performedAfterDelay, kCFRunLoopDefaultMode); // over before a debugger goes on
}

void touchesBegan(void *info) {
    calls[6]++;
    CFRunLoopSourceSignal(worksSource);
    CFRunLoopWakeUp(workersLoop);
}

void viewWillDraw(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) {
    calls[7]++;
}

static void *residentThread(void *unused) {
    pthread_setname_np(pthread_self(), "resident");
    worksSource = addSource0(0, performedOnThread);
    workersLoop = CFRunLoopGetCurrent();
    CFRunLoopRun();
    return NULL;
}

CHILD(exercise, "A touch, a perform on another thread, a perform after a delay; for a debugger") {
    mainLoop = CFRunLoopGetCurrent();
    pthread_t thread = startWorker(residentThread);
    addObserver(kCFRunLoopBeforeWaiting, 2000000, viewWillDraw);
    screen = addSource0(0, touchesBegan);
    CFRunLoopSourceSignal(screen);
    CFRunLoopRun();
    CHECK(calls[4] == 1 && calls[6] == 1);
    stopWorker(thread);
}

// session steps: scenario exercise, debug build
// (gdb) b touchesBegan
// ...
// (gdb) run
// ...
// (gdb) rl-next
// step 7: the ports are checked, and the thread does not sleep  (CFRunLoop.c:207)
// Left out: step 5 (the first pass of a run does not check the main dispatch queue), step 6 (this pass does not sleep).
// (gdb) rl-why
// Step 7 of a run in kCFRunLoopDefaultMode: the ports are checked, and the thread does not sleep.
// This pass has not slept yet: the thread gets here in every pass.
// (gdb) rl-next
// step 9: the loop serves what woke it, then waiting blocks, and decides whether to go on  (CFRunLoop.c:233)
// Left out: step 8 (this pass does not sleep).
// (gdb) rl-next
// step 2: a pass begins: observers of BeforeTimers are notified  (CFRunLoop.c:165)
// (gdb) rl-why
// Step 2 of a run in kCFRunLoopDefaultMode: a pass begins: observers of BeforeTimers are notified.
// This pass has not slept yet: the thread gets here in every pass.
// The pass before it did not sleep.
// (gdb) rl-next
// step 3: observers of BeforeSources are notified, then the blocks that wait for this mode are performed  (CFRunLoop.c:171)
// (gdb) rl-next
// step 4: the signalled Source0s are performed, in their order  (CFRunLoop.c:178)
// (gdb) rl-next
// step 5: the main loop checks, without waiting, whether the main dispatch queue has work  (CFRunLoop.c:189)
// (gdb) rl-next
// step 6: observers of BeforeWaiting are notified  (CFRunLoop.c:198)
// (gdb) rl-next
// step 6: about to call an observer's callback, viewWillDraw
// (gdb) rl-next
// step 7: the thread sleeps until something wakes it  (CFRunLoop.c:207)
// (gdb) rl-next
// Nothing will happen by itself: thread 1 sleeps until it is woken by
//   descriptor 3, the wake-up port: CFRunLoopWakeUp or CFRunLoopStop is called
//   the main dispatch queue's port: work is dispatched to it
//   nothing else: the run has no time limit
// rl-next 8 continues the program until then.
// To wake the loop now: call (void)CFRunLoopWakeUp((CFRunLoopRef)0x1000)
// (gdb) rl-next 8
// step 8: observers of AfterWaiting are notified  (CFRunLoop.c:227)

// MARK: - Many timers

void many_fire(CFRunLoopTimerRef timer, void *info) {
    calls[2]++;
    CFRunLoopStop(CFRunLoopGetCurrent());
}

// session many: scenario many
// (gdb) b many_fire
// ...
// (gdb) run
// ...
// (gdb) rl-tree
// ...
//     timers: 1000
//       0x1000 due for 0.009 s, once, calls many_fire, in its callback
//       0x1000 due in 1000.990 s, once, calls asleep_never
//       0x1000 due in 1001.990 s, once, calls asleep_never
// ...
//       and 950 more
// ...
// (gdb) rl-check
// CFRunLoop 0x1000, thread 1 "CScenarios": no problem found.

CHILD(many, "A mode with 1,000 timers; for a debugger") {
    for (int i = 1; i <= 999; i++) addTimer(CFRunLoopGetCurrent(), 1000 + i, 0, 0, asleep_never, kCFRunLoopDefaultMode);
    addTimer(CFRunLoopGetCurrent(), 0, 0, 0, many_fire, kCFRunLoopDefaultMode);
    CFRunLoopRun();
    CHECK(calls[2] == 1);
}

// MARK: - Broken structures
//
// gdb overwrites the program's memory, and the helpers must say what is wrong with it, instead of giving up or looping endlessly.

// session broken: scenario inspected, gdb only
// (gdb) b inspected_end
// ...
// (gdb) run
// ...
// (gdb) set var $rl = inspectedLoop
// (gdb) set var $mode = $rl->_currentMode
// (gdb) set var $timers = (struct __CFArray *)$mode->_timers
// (gdb) set var $mode->_observerMask = 1
// (gdb) set var $mode->_isCommon = 0
// (gdb) set var ((CFRunLoopTimerRef)$timers->_values[1])->_fireTSR = 1
// (gdb) set var $rl->_perRunData->a = 0
// (gdb) rl-check
// WRONG: the record 0x1000 of a run does not begin with 'CFRL'
// WRONG: the mode kCFRunLoopDefaultMode does not say that it is common, and its name is among the common modes
// WRONG: mode kCFRunLoopDefaultMode: the observers want 0xa0 together, `_observerMask` is 0x1
// WRONG: mode kCFRunLoopDefaultMode: the timer 0x1000, due at 1, comes after one due at 4473194832425
// WRONG: mode kCFRunLoopDefaultMode: the soft deadline is 4473194828720, and the first timer is due at 1
// WRONG: mode Tracking: the soft deadline is 4473194828720, and the first timer is due at 1
// (gdb) set var touch->_base._cfisa = 7
// (gdb) rl-check
// ...
// WRONG: mode kCFRunLoopDefaultMode: 0x1000 is no CF object: its first word, 0x7, is no class
// ...
// WRONG: 0x1000 is no CF object: its first word, 0x7, is no class
// (gdb) rl-tree
// CFRunLoop 0x1000, thread 1 "CScenarios" (main)
// ...
//     Source0: 2
//       (0x1000 is no CF object: its first word, 0x7, is no class)
//       0x1000 order 1, performs inspected_idle, not signalled
// ...
// (gdb) print touch
// $1 = 0x1000 (0x1000 is no CF object: its first word, 0x7, is no class)
// (gdb) set var touch->_base._cfisa = (long)&__CFRunLoopSourceClass
// (gdb) set var ((CFRunLoopTimerRef)$timers->_values[0])->_base._cfisa = 7
// (gdb) rl-tree
// ...
//     timers: 2
//       (0x1000 is no CF object: its first word, 0x7, is no class)
//       0x1000 due for 4473.390 s, tolerance 6 s, every 60 s, calls inspected_heartbeat
// ...
// (gdb) set var ((CFRunLoopTimerRef)$timers->_values[0])->_base._cfisa = (long)&__CFRunLoopTimerClass
// (gdb) set var $timers->_count = -1
// (gdb) rl-tree
// ...
//     (the CFArray 0x1000 says that it holds -1 values)
// ...
//     timers: 1
//       0x1000 due for 4473.391 s, tolerance 6 s, every 60 s, calls inspected_heartbeat
// ...
// (gdb) set var $timers->_count = 2000000000
// (gdb) rl-tree
// ...
//     (the CFArray 0x1000 says that it holds 2000000000 values)
// ...
//     timers: 1
//       0x1000 due for 4473.393 s, tolerance 6 s, every 60 s, calls inspected_heartbeat
// ...
// (gdb) set var $timers->_count = 2
// (gdb) set var $timers->_values = (void *)16
// (gdb) rl-tree
// ...
//     (the memory at 0x10 cannot be read)
// ...
//     timers: 1
//       0x1000 due for 4473.394 s, tolerance 6 s, every 60 s, calls inspected_heartbeat
// ...
// (gdb) print *$timers
// $2 = (the memory at 0x10 cannot be read)
// (gdb) set var $rl->_perRunData->previous = $rl->_perRunData
// (gdb) rl-check
// WRONG: the records of the runs have a cycle at 0x1000
// ...
// WRONG: mode kCFRunLoopDefaultMode: the memory at 0x10 cannot be read
// ...
// WRONG: the memory at 0x10 cannot be read
// (gdb) set var $mode->_name = 0
// (gdb) rl-loops
// * 0x1000  thread 1 "CScenarios" (main)  in (NULL is where an object must be): step 9.1, in a timer's callback, inspected_end
//   0x1000  thread 2 "worker"  in kCFRunLoopDefaultMode: asleep (step 7)
// 2 loops; * marks the selected thread's.
// (gdb) set var $rl->_modes = (CFMutableSetRef)$mode
// (gdb) rl-tree
// CFRunLoop 0x1000, thread 1 "CScenarios" (main)
//   in (NULL is where an object must be): step 9.1, in a timer's callback, inspected_end
//   (the records of the runs have a cycle at 0x1000)
// ...
//   modes: (0x1000 is a CFRunLoopMode where a set, bag or dictionary must be)
// (gdb) print *$mode
// $3 = CFRunLoopMode (NULL is where an object must be) {
// ...
//   _name: NULL
// ...
//   _sources0: 0x1000 CFSet of 2
// ...
// }
// (gdb) set var $rl->_base._cfisa = 1
// (gdb) rl-loops
//   0x1000  (0x1000 is no CF object: its first word, 0x1, is no class)
//   0x1000  thread 2 "worker"  in kCFRunLoopDefaultMode: asleep (step 7)
// 2 loops; * marks the selected thread's.
// (gdb) rl-why
// rl-why: 0x1000 is no CF object: its first word, 0x1, is no class
// (gdb) rl-tree nonsense
// rl-tree: nonsense has no value here: No symbol "nonsense" in current context.
// (gdb) rl-tree 16
// rl-tree: the memory at 0x10 cannot be read
// (gdb) print *(CFRunLoopRef)16
// Cannot access memory at address 0x10

// session circle: scenario inspected, gdb only
// (gdb) b inspected_end
// ...
// (gdb) run
// ...
// (gdb) set var $rl = inspectedLoop
// (gdb) set var $rl->_blocks_head->_next = $rl->_blocks_head
// (gdb) rl-tree
// CFRunLoop 0x1000, thread 1 "CScenarios" (main)
//   in kCFRunLoopDefaultMode: step 9.1, in a timer's callback, inspected_end
// ...
//   (the list of blocks has a cycle at 0x1000)
// ...
//     (the list of blocks has a cycle at 0x1000)
// ...
//     (the list of blocks has a cycle at 0x1000)
// ...
// (gdb) rl-check
// WRONG: the list of blocks has a cycle at 0x1000

// session printed: scenario inspected, gdb only
// (gdb) b inspected_end
// ...
// (gdb) run
// ...
// (gdb) set var $rl = inspectedLoop
// (gdb) print $rl
// $1 = 0x1000 CFRunLoop of thread 1 "CScenarios", in kCFRunLoopDefaultMode
// (gdb) print *$rl
// $2 = CFRunLoop of thread 1 "CScenarios", in kCFRunLoopDefaultMode {
//   _base: references 4
//   _lock: free
//   _wakeUpPort: 3
//   _perRunData: 0x1000
//   _pthread: 140737353278592
//   _commonModes: 0x1000 CFSet of 2
//   _commonModeItems: 0x1000 CFSet of 2
//   _currentMode: 0x1000 CFRunLoopMode kCFRunLoopDefaultMode
//   _modes: 0x1000 CFSet of 2
// ...
//   _hostedModes: NULL
// ...
// }
// (gdb) print *$rl->_currentMode
// $3 = CFRunLoopMode kCFRunLoopDefaultMode {
//   _base: references 1
//   _lock: free
//   _name: 0x1000 "kCFRunLoopDefaultMode"
//   _stopped: false
//   _sources0: 0x1000 CFSet of 2
//   _sources1: 0x1000 CFSet of 1
//   _observers: 0x1000 CFArray of 1
//   _timers: 0x1000 CFArray of 2
//   _portToV1SourceMap: 0x1000 CFDictionary of 1
//   _portSet: 0x1000
//   _observerMask: 160
//   _timerPort: -3
//   _mkTimerArmed: true
// ...
//   _timerSoftDeadline: 18446744073709551615
//   _timerHardDeadline: 2396734264735
// ...
//   _isCommon: true
// ...
// }
// (gdb) print $rl->_commonModes
// $4 = 0x1000 CFSet of 2 {0x1000 "kCFRunLoopDefaultMode"; 0x1000 "Tracking"}
// (gdb) print $rl->_commonModeItems
// $5 = 0x1000 CFSet of 2 {0x1000 CFRunLoopObserver, BeforeWaiting Exit, calls inspected_commit; 0x1000 CFRunLoopTimer, calls inspected_heartbeat}
// (gdb) print *$rl->_currentMode->_timers
// $6 = CFArray of 2 {
//   0x1000 CFRunLoopTimer, calls inspected_end
//   0x1000 CFRunLoopTimer, calls inspected_heartbeat
// }
// (gdb) print $rl->_currentMode->_portToV1SourceMap
// $7 = 0x1000 CFDictionary of 1 {7: 0x1000 CFRunLoopSource 1, performs inspected_port_is_ready}
// (gdb) print $rl->_currentMode->_name
// $8 = 0x1000 "kCFRunLoopDefaultMode"
// (gdb) print touch
// $9 = 0x1000 CFRunLoopSource 0, performs inspected_touch
// (gdb) print *touch
// $10 = CFRunLoopSource 0, performs inspected_touch {
//   _base: references 1, valid
//   _signaledTime: ...
//   _lock: free
//   _order: 0
//   _runLoops: 0x1000 CFBag of 1
//   _context: {version0 = {version = 0, ... perform = 0x1000 <inspected_touch>}, ...
// ...
// }
// (gdb) print touch->_runLoops
// $11 = 0x1000 CFBag of 1 {0x1000 CFRunLoop of thread 1 "CScenarios", in kCFRunLoopDefaultMode (1)}

// MARK: - A core file

// session core: scenario inspected, core file of inspected_end
// (gdb) rl-loops
// * 0x1000  thread 1 (main)  in kCFRunLoopDefaultMode: step 9.1, in a timer's callback, inspected_end
//   0x1000  thread 2  in kCFRunLoopDefaultMode: asleep (step 7)
// 2 loops; * marks the selected thread's.
// (gdb) rl-tree
// CFRunLoop 0x1000, thread 1 (main)
//   in kCFRunLoopDefaultMode: step 9.1, in a timer's callback, inspected_end
//   runs: 1, stop: no, wake-ups: ignored
//   common modes: kCFRunLoopDefaultMode, Tracking
//   common mode items: 2
//     0x1000 observer, order 2000000, BeforeWaiting Exit, calls inspected_commit
//     0x1000 timer, due in 999.957 s, tolerance 6 s, every 60 s, calls inspected_heartbeat
//   blocks for the common modes: none
//   mode kCFRunLoopDefaultMode 0x1000 (common, current)
//     Source0: 2
//       0x1000 order 0, performs inspected_touch, signalled
//       0x1000 order 1, performs inspected_idle, not signalled
// ...
// Times are relative to the moment when the core file was written.
// (gdb) rl-why
// Step 9.1 of a run in kCFRunLoopDefaultMode: the timers that are due fire.
// Left out: step 5 (the first pass of a run does not check the main dispatch queue).
// Woken by the timer port.
// Leads to: step 9.1, the timers that are due:
//   0x1000 due for 0.043 s, once, calls inspected_end, in its callback
// Signalled, and performed in the next step 4: inspected_touch, of the Source0 0x1000.
// Times are relative to the moment when the core file was written.
// (gdb) rl-bt
// #0   inspected_end  at DebuggerScenarios.c:117
// #1   __CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__  at CFRunLoopCallouts.c:22
//        step 9.1: Calls out to a timer's callback, inspected_end.
// #2   __CFRunLoopDoTimer  at CFRunLoopTimer.c:607
// ...
// (gdb) rl-check
// CFRunLoop 0x1000, thread 1: no problem found.
// (gdb) rl-next
// rl-next: A core file cannot continue.

// MARK: - Refused calls

static void *wakeTheMainLoopTooLate(void *mainThread) {
    pthread_join(*(pthread_t *)mainThread, NULL);
    CFRunLoopWakeUp(CFRunLoopGetMain());
    exit(0);
}

// session refused: scenario refused, gdb only
// (gdb) b _CFRunLoopError_RunCalledWithInvalidMode
// ...
// (gdb) b _CFRunLoopError_MainThreadHasExited
// ...
// (gdb) run
// ...
// (gdb) bt
// #0  _CFRunLoopError_RunCalledWithInvalidMode () at Sources/CRunLoop/CFRunLoop.c:106
// ...
// (gdb) continue
// ...
// (gdb) bt
// #0  _CFRunLoopError_MainThreadHasExited () at Sources/CRunLoop/CFRunLoopMainThread.c:68
// ...
CHILD(refused, "A run in no mode is refused, and a wake-up of a main loop whose thread has exited; for a debugger") {
    static pthread_t mainThread;
    pthread_t thread;
    CFRunLoopGetCurrent();
    CFRunLoopRunInMode(NULL, 0, false);
    mainThread = pthread_self();
    pthread_create(&thread, NULL, wakeTheMainLoopTooLate, &mainThread);
    pthread_exit(NULL);
}
