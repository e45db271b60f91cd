/// ArticleLoopPrograms.c: the programs that the articles' loops and the library's loop run, and the
/// record of what each loop did.

#include "ArticleLoop.h"

#include <CRunLoopTraceRing.h>
#include <LoopProgram.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

extern int _dispatch_get_main_queue_port_4CF(void);
extern struct dispatch_queue_s _dispatch_main_q;
extern void dispatch_async_f(struct dispatch_queue_s *queue, void *context, void (*work)(void *));

/// The run that is being made. The programs run one after the other.
static struct {
    ArticleLoopForm form;
    ArticleLoop loop;      // the copy's
    CFRunLoopRef real;     // the calling thread's
    char *text;
    size_t size;
    const char *blocks[8]; // the names of the blocks that the real loop has performed
    int blockCount, blocksShown, queueBlocks;
} stage;

void ArticleRecord(const char *format, ...) {
    size_t length = strlen(stage.text);
    if (length > 0 && length + 1 < stage.size) {
        stage.text[length++] = ' ';
        stage.text[length] = 0;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(stage.text + length, stage.size - length, format, arguments);
    va_end(arguments);
}

static Boolean IsReal(void) { return stage.form == kArticleLoopReal; }

// MARK: - What a program can do, in each loop

static void PerformItem(void *info) { ((Item *)info)->perform(); }
static int GetItemPort(void *info) { return ((Item *)info)->port; }
static void FireTimer(CFRunLoopTimerRef timer, void *info) {
    (void)timer;
    PerformItem(info);
}
static void Observe(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) {
    (void)observer, (void)activity, (void)info; // the trace shows the call
}

static CFRunLoopSourceRef sources[2]; // at most one of each version

static void AddSource(Item *item) {
    CFRunLoopSourceRef source;
    if (item->kind == kItemSource0) {
        CFRunLoopSourceContext context = {.info = item, .perform = PerformItem};
        source = CFRunLoopSourceCreate(NULL, 0, &context);
    } else {
        CFRunLoopSourceContext1 context = {
            .version = 1, .info = item, .getPort = GetItemPort, .perform = PerformItem
        };
        source = CFRunLoopSourceCreate(NULL, 0, (CFRunLoopSourceContext *)&context);
    }
    sources[item->kind == kItemSource1] = source;
    if (IsReal()) CFRunLoopAddSource(stage.real, source, kCFRunLoopDefaultMode);
    else CFArrayAppendValue(item->kind == kItemSource0 ? stage.loop.mode.sources0
                                                       : stage.loop.mode.sources1, source);
}

static void Signal(Item *item) {
    item->isSignaled = true;
    if (IsReal()) CFRunLoopSourceSignal(sources[0]);
}

static void AddTimer(Item *item, CFTimeInterval delay) {
    CFRunLoopTimerContext context = {.info = item};
    CFRunLoopTimerRef timer = CFRunLoopTimerCreate(NULL, CFAbsoluteTimeGetCurrent() + delay, 0, 0,
                                                   0, FireTimer, &context);
    if (IsReal()) CFRunLoopAddTimer(stage.real, timer, kCFRunLoopDefaultMode);
    else CFArrayAppendValue(stage.loop.mode.timers, timer);
    CFRelease(timer);
}

static void PerformBlock(Item *item) {
    if (IsReal()) {
        CFRunLoopPerformBlock(stage.real, kCFRunLoopDefaultMode, ^{
            stage.blocks[stage.blockCount++] = item->name;
            item->perform();
        });
    } else {
        Item **end = &stage.loop.blocks;
        while (*end) end = &(*end)->next;
        *end = item;
    }
}

static void Dispatch(void (*work)(void *)) { dispatch_async_f(&_dispatch_main_q, NULL, work); }

static void Stop(void) {
    if (IsReal()) CFRunLoopStop(stage.real);
    else ArticleStop(&stage.loop);
}

// MARK: - The programs

static void Nothing(void) {}

static Item timer = {.kind = kItemTimer, .name = "timer", .perform = Stop};
static void HasTimer(void) { AddTimer(&timer, 0.02); }

static void HasObserver(void) {} // every program has one: it records the activities

static Item source0 = {.kind = kItemSource0, .name = "source0", .perform = Nothing};
static void HasSource0(void) { AddSource(&source0); }
static void HasSignaledSource0(void) {
    AddSource(&source0);
    Signal(&source0);
}

static Item second = {.kind = kItemBlock, .name = "second", .perform = Nothing};
static void QueueSecond(void) { PerformBlock(&second); }
static Item first = {.kind = kItemBlock, .name = "first", .perform = QueueSecond};
static void TakeAndStop(void);
static Item port = {.kind = kItemSource1, .name = "port", .perform = TakeAndStop};
static void TakeAndStop(void) {
    eventfd_t value;
    eventfd_read(port.port, &value);
    Stop();
}
static void HasBlocksAndPort(void) {
    PerformBlock(&first);
    AddSource(&port);
    eventfd_write(port.port, 1);
}

static void QueueThird(void *context) {
    (void)context;
    if (++stage.queueBlocks < 3) Dispatch(QueueThird);
    else Stop();
}
static void HasMainQueue(void) { Dispatch(QueueThird); }

static void DoNothing(void *context) { (void)context; }
static void HasOneInMainQueue(void) {
    AddSource(&source0);
    Dispatch(DoNothing);
}

static const struct {
    void (*setUp)(void);
    CFTimeInterval limit;
    Boolean returnAfterSourceHandled, isForMainThread;
} programs[] = {
    {HasTimer, 5, false, false},
    {HasObserver, 0.1, false, false},
    {HasSource0, 0, false, false},
    {HasSignaledSource0, 0.1, false, false},
    {HasSignaledSource0, 0.1, true, false},
    {HasBlocksAndPort, 5, false, false},
    {HasMainQueue, 5, false, true},
    {HasOneInMainQueue, 0.1, true, true},
};

Boolean ArticleLoopProgramIsForMainThread(int program) { return programs[program].isForMainThread; }

// MARK: - Running one

/// Adds an event of the library's loop to the record.
static void Show(const CFRunLoopTraceEvent *event, void *info) {
    (void)info;
    if (event->loop != stage.real) return;
    if (event->kind == kCFRunLoopTraceSleeps) ArticleRecord("7");
    if (event->kind != kCFRunLoopTraceCalloutBegins) return;
    switch (event->callout) {
    case kCFRunLoopTraceObserver: ArticleRecord("%d", ArticleStepOf(event->activity)); break;
    case kCFRunLoopTraceSource0: ArticleRecord("4:%s", source0.name); break;
    case kCFRunLoopTraceTimer: ArticleRecord("9.1:%s", timer.name); break;
    case kCFRunLoopTraceMainQueue: ArticleRecord("9.2"); break;
    case kCFRunLoopTraceSource1: ArticleRecord("9.3:%s", port.name); break;
    case kCFRunLoopTraceBlock:
        if (stage.blocksShown == stage.blockCount) break;
        ArticleRecord("%d:%s", event->step, stage.blocks[stage.blocksShown++]);
        break;
    }
}

static CFRunLoopObserverRef MakeObserver(void) {
    return CFRunLoopObserverCreate(NULL, kCFRunLoopAllActivities, true, 0, Observe, NULL);
}

static int RunReal(int program) {
    CFRunLoopObserverRef observer = MakeObserver();
    CFRunLoopAddObserver(stage.real, observer, kCFRunLoopDefaultMode);
    programs[program].setUp();
    int end = CFRunLoopRunInMode(kCFRunLoopDefaultMode, programs[program].limit,
                                 programs[program].returnAfterSourceHandled);
    CFRunLoopRemoveObserver(stage.real, observer, kCFRunLoopDefaultMode);
    CFRelease(observer);
    CRunLoopTraceReceive(Show, NULL);
    return end;
}

static int RunCopy(int program) {
    ArticleMode *mode = &stage.loop.mode;
    CFMutableArrayRef *arrays[] = {
        &mode->sources0, &mode->sources1, &mode->timers, &mode->observers
    };
    for (int n = 0; n < 4; n++)
        *arrays[n] = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
    stage.loop.wakeUpPort = eventfd(0, EFD_CLOEXEC);
    stage.loop.dispatchPort =
        programs[program].isForMainThread ? _dispatch_get_main_queue_port_4CF() : -1;
    CFRunLoopObserverRef observer = MakeObserver();
    CFArrayAppendValue(mode->observers, observer);
    CFRelease(observer);
    programs[program].setUp();
    int (*run)(ArticleLoop *, CFTimeInterval, Boolean) =
        stage.form == kArticleLoop1 ? ArticleRunSpecific1 : ArticleRunSpecificCured;
    int end = run(&stage.loop, programs[program].limit, programs[program].returnAfterSourceHandled);
    for (int n = 0; n < 4; n++) CFRelease(*arrays[n]);
    close(stage.loop.wakeUpPort);
    return end;
}

Boolean ArticleLoopRun(int program, ArticleLoopForm form, char *text, size_t size) {
    memset(&stage, 0, sizeof(stage));
    stage.form = form;
    stage.real = CFRunLoopGetCurrent();
    stage.text = text;
    stage.size = size;
    text[0] = 0;
    source0.isSignaled = false;
    first.next = second.next = NULL;
    sources[0] = sources[1] = NULL;
    port.port = eventfd(0, EFD_CLOEXEC);
    if (IsReal() && !CRunLoopTraceStart()) {
        close(port.port);
        return false;
    }
    int end = IsReal() ? RunReal(program) : RunCopy(program);
    if (IsReal()) CRunLoopTraceStop();
    for (int n = 0; n < 2; n++) {
        if (!sources[n]) continue;
        CFRunLoopSourceInvalidate(sources[n]);
        CFRelease(sources[n]);
    }
    close(port.port);
    ArticleRecord("=%s", loopResultName(end));
    return true;
}
