/// Page.c: the module of play.html. It performs a program (Documentation/Reference/programs.md) on
/// the loop's own code and the simulated kernel, and keeps a record of every statement.
///
/// The page performs a program once, and has its moments: the statements in the order in which they
/// were performed. To show the state at moment N, it performs the program again and stops there,
/// because the same program and seed give the same moments. What the page then shows is in the
/// loop's structs, which this file reads.
///
/// Scripts/build-wasm compiles it with copies of the sources that instrument.py makes.
#include "Recorder.h"

/// The number of the line that is broken (Facts/breaks.tsv); 0: none.
static int __CFBroken;

#include "CRunLoopSimulated.c"
#include "../CRunLoopModel/LoopProgram.c"

static void pageBegin(const LoopAction *action);
static void pageStartThread(const char *name, SimulationFunction body, void *info);
#define PERFORM_BEGINS(action, thread) pageBegin(action)
#define SimulationStartThread pageStartThread
#include "PerformProgram.c"
#undef SimulationStartThread

#define PAGE(name) __attribute__((export_name(#name)))

/// Ends the program where it is: the page throws an exception.
__attribute__((import_module("page"), import_name("stop"))) extern void pageStop(void);

// MARK: - Moments

/// The page reads these fields: moments() in play.js.
struct Moment {
    uint16_t statement;    // or, with isAction, the index of an action of the program
    uint16_t thread;
    uint8_t depth;         // how many of the loop's functions are called
    uint8_t step;          // of the pass that the thread's loop is in; << 4: what step 9 serves
    uint8_t runs;          // how many runs of the thread's loop are active
    uint8_t unused;
    uint32_t logLength, time; // an index into `times`
};
enum { isAction = 0x8000, momentsOfChunk = 1 << 16, mostChunks = 64 };

static struct {
    Boolean records, isOff;
    uint32_t count, stopAt; // moments
    uint32_t cleanUp; // the moment at which all threads have ended; UINT32_MAX: never
    struct Moment *chunks[mostChunks];
    double *times;
    uint32_t timeCount;
    uint64_t lastTime;
    struct PageThread {
        struct PageFrame *frame;
        uint32_t depth;
        char name[32]; // from its first moment on
        double end; // when its code has ended; -1: never
    } *threads; // by number; 0: no thread
    uint32_t threadCount;
    char *text; // what `pageSay` has said
    size_t length, capacity;
} page;

static struct PageThread *pageThread(void) {
    uint32_t number = __CFSim.current ? (uint32_t)__CFSim.current->number : 0;
    if (number >= page.threadCount) {
        uint32_t count = 2 * number + 8;
        page.threads = realloc(page.threads, count * sizeof *page.threads);
        if (!page.threads) abort();
        for (uint32_t i = page.threadCount; i < count; i++)
            page.threads[i] = (struct PageThread){.end = -1};
        page.threadCount = count;
    }
    return &page.threads[number];
}

void pageEnter(struct PageFrame *frame, uint32_t function) {
    struct PageThread *thread = pageThread();
    *frame = (struct PageFrame){.outer = thread->frame, .function = (uint16_t)function};
    thread->frame = frame;
    thread->depth++;
}

void pageLeave(struct PageFrame *frame) {
    struct PageThread *thread = pageThread();
    thread->frame = frame->outer;
    thread->depth--;
}

static double pageSeconds(uint64_t time) {
    return (double)(int64_t)(time - __kCFSimBoot) / NSEC_PER_SEC;
}

static uint32_t pageTime(void) {
    if (page.timeCount && page.lastTime == __CFSim.now) return page.timeCount - 1;
    page.times = __CFSimGrow(page.times, page.timeCount, sizeof *page.times);
    page.lastTime = __CFSim.now;
    page.times[page.timeCount++] = pageSeconds(__CFSim.now);
    return page.timeCount - 1;
}

/// The program's code is at its next moment.
static void pageReach(uint32_t statement) {
    if (page.isOff || !__CFSim.current) return;
    struct PageThread *thread = pageThread();
    if (thread->frame && !(statement & isAction))
        thread->frame->statement = (uint16_t)statement;
    if (!thread->name[0])
        snprintf(thread->name, sizeof thread->name, "%s", __CFSim.current->name);
    // So deep a recursion ends like one that is too deep for the browser.
    if ((char *)__builtin_frame_address(0) < __CFSim.current->stack + 16 * 1024) pageStop();
    if (page.count == page.stopAt) pageStop();
    if (page.records) {
        struct Moment **chunk = &page.chunks[page.count / momentsOfChunk];
        if (!*chunk) *chunk = malloc(momentsOfChunk * sizeof **chunk);
        if (!*chunk) abort();
        CFRunLoopRef rl = _CFGetTSD(__CFTSDKeyRunLoop);
        const struct __CFRunLoopPass *pass = rl ? __CFRunLoopThisPass(rl) : NULL;
        (*chunk)[page.count % momentsOfChunk] = (struct Moment){
            .statement = (uint16_t)statement,
            .thread = (uint16_t)__CFSim.current->number,
            .depth = (uint8_t)(thread->depth < 255 ? thread->depth : 255),
            .step = (uint8_t)(pass ? (pass->_steps & 15) | (uint64_t)pass->_reason << 4 : 0),
            .runs = (uint8_t)(pass && pass->_depth < 255 ? pass->_depth : 0),
            .logLength = (uint32_t)__CFSim.logLength,
            .time = pageTime(),
        };
    }
    page.count++;
}

void __CFPageAt(uint32_t statement) { pageReach(statement); }

static LoopProgram program;

static void pageBegin(const LoopAction *action) {
    pageReach((uint32_t)isAction | (uint32_t)(action - program.actions));
}

// MARK: - The ends of threads

/// What a thread of the program performs.
static void pageThreadBody(void *info) {
    performThreadOfProgram(info);
    pageThread()->end = pageSeconds(__CFSim.now);
}

static void pageStartThread(const char *name, SimulationFunction body, void *info) {
    assert(body == performThreadOfProgram);
    SimulationStartThread(name, pageThreadBody, info);
}

static void pageMainBody(void *of) {
    performBody(of);
    pageThread()->end = pageSeconds(__CFSim.now);
}

/// The last thread has ended, and the main thread releases what the program has made.
static void pageExit(void *unused) {
    page.cleanUp = page.count;
    performExit(unused);
}

// MARK: - The heap

/// The heap of malloc. A module's memory never shrinks, and that of wasi-libc begins where the
/// memory ends. This one begins behind the variables, so a page that winds the memory back has an
/// empty heap again.
void *sbrk(intptr_t increment) {
    extern char __heap_base;
    enum { pageSize = 65536 };
    static uintptr_t top;
    if (!top) top = ((uintptr_t)&__heap_base + pageSize - 1) & ~(uintptr_t)(pageSize - 1);
    uintptr_t end = top + (uintptr_t)increment, size = __builtin_wasm_memory_size(0) * pageSize;
    if (end > size) {
        size_t pages = (end - size + pageSize - 1) / pageSize;
        if (__builtin_wasm_memory_grow(0, pages) == SIZE_MAX) {
            errno = ENOMEM;
            return (void *)-1;
        }
    }
    void *before = (void *)top;
    top = end;
    return before;
}

// MARK: - For the page: performing

static char text[65536];

/// Where the page writes a program, as a text that ends in a zero.
PAGE(text) char *pageText(void) { return text; }

/// Reads the text. Returns whether it is a program.
PAGE(read) int pageRead(void) { return loopProgramRead(&program, text); }
PAGE(error) const char *pageError(void) { return program.error; }
PAGE(error_in_chinese) const char *pageErrorInChinese(void) { return program.errorInChinese; }

/// From now on, this line of the loop is broken.
PAGE(break_line) void pageBreakLine(int number) { __CFBroken = number; }

/// Performs the program until it ends or has `stopAt` moments, which ends it by `pageStop`.
/// Returns whether its threads have waited forever.
PAGE(perform) int pagePerform(uint32_t seed, uint32_t stopAt, int records) {
    page.stopAt = stopAt < mostChunks * momentsOfChunk ? stopAt : mostChunks * momentsOfChunk;
    page.records = records != 0;
    page.cleanUp = UINT32_MAX;
    Simulation simulation = performIn((Simulation){.seed = seed, .isQuiet = true});
    simulation.onExit = pageExit;
    return SimulationRun(simulation, pageMainBody, &program).isDeadlocked;
}

PAGE(log_text) const char *pageLog(void) { return __CFSim.log ? __CFSim.log : ""; }
PAGE(moment_count) uint32_t pageCount(void) { return page.count; }
PAGE(chunk) struct Moment *pageChunk(uint32_t index) { return page.chunks[index]; }
PAGE(clean_up) uint32_t pageCleanUp(void) { return page.cleanUp; }
PAGE(thread_end) double pageThreadEnd(uint32_t number) {
    return number < page.threadCount ? page.threads[number].end : -1;
}
PAGE(time_count) uint32_t pageTimeCount(void) { return page.timeCount; }
PAGE(times) double *pageTimes(void) { return page.times; }
/// An exception leaves the stack pointer where it was.
PAGE(stack_pointer) char *pageStackPointer(void) { return contextGetStackPointer(); }
PAGE(set_stack_pointer) void pageSetStackPointer(char *to) { contextSetStackPointer(to); }

// MARK: - For the page: the state, as JSON

static __attribute__((format(printf, 1, 2))) void pageSay(const char *format, ...) {
    for (;;) {
        size_t room = page.capacity - page.length;
        va_list arguments;
        va_start(arguments, format);
        int length =
            vsnprintf(page.text ? page.text + page.length : NULL, room, format, arguments);
        va_end(arguments);
        if ((size_t)length < room) {
            page.length += (size_t)length;
            return;
        }
        page.capacity = 2 * page.capacity + (size_t)length + 1024;
        page.text = realloc(page.text, page.capacity);
        if (!page.text) abort();
    }
}

/// A comma between the elements of a list.
static const char *pageComma(Boolean *isFirst) {
    const char *comma = *isFirst ? "" : ",";
    *isFirst = false;
    return comma;
}

static const char *pageYes(Boolean is) { return is ? "true" : "false"; }

static void pageSayString(CFStringRef string) {
    char name[64] = "";
    if (string) CFStringGetCString(string, name, sizeof name, kCFStringEncodingUTF8);
    pageSay("\"%s\"", name); // a program's names have no quotation marks
}

/// A moment in seconds; null: never.
static void pageSayMoment(const char *key, uint64_t tsr) {
    if (tsr == UINT64_MAX || tsr == 0) pageSay(",\"%s\":null", key);
    else pageSay(",\"%s\":%.9g", key, pageSeconds(tsr));
}

/// Which thread holds a lock: 0 for none.
static void pageSayLock(const pthread_mutex_t *lock) { pageSay(",\"lock\":%d", lock->holder); }

static int pageItemIndex(CFTypeRef item) {
    for (int i = 0; i < program.itemCount; i++)
        if (performance.refs[i] == item) return i;
    return -1;
}

static void pageSayItems(const char *key, const void *const *values, CFIndex count) {
    Boolean isFirst = true;
    pageSay(",\"%s\":[", key);
    // By the program's order, because a set has none. The items of an array are few.
    for (int i = 0; i < program.itemCount; i++)
        for (CFIndex j = 0; j < count; j++)
            if (performance.refs[i] == values[j]) pageSay("%s%d", pageComma(&isFirst), i);
    pageSay("]");
}

static void pageSayOrdered(const char *key, CFArrayRef array) {
    Boolean isFirst = true;
    pageSay(",\"%s\":[", key);
    for (CFIndex i = 0; array && i < CFArrayGetCount(array); i++) {
        int item = pageItemIndex(CFArrayGetValueAtIndex(array, i));
        if (item >= 0) pageSay("%s%d", pageComma(&isFirst), item);
    }
    pageSay("]");
}

static void pageSaySet(const char *key, CFSetRef set) {
    CFIndex count = set ? CFSetGetCount(set) : 0;
    const void *values[mostNames]; // a program has no more items
    if (count) CFSetGetValues(set, values);
    pageSayItems(key, values, count);
}

static void pageSayMode(CFRunLoopModeRef rlm) {
    pageSay("{\"name\":");
    pageSayString(rlm->_name);
    pageSayLock(&rlm->_lock);
    pageSay(",\"stopped\":%s,\"common\":%s", pageYes(rlm->_stopped), pageYes(rlm->_isCommon));
    pageSayMoment("soft", rlm->_timerSoftDeadline);
    pageSayMoment("deadline", rlm->_portSet->timerDeadline);
    pageSaySet("sources0", rlm->_sources0);
    pageSaySet("sources1", rlm->_sources1);
    pageSayOrdered("observers", rlm->_observers);
    pageSayOrdered("timers", rlm->_timers);
    pageSay("}");
}

/// `index` is that of the thread in the program.
static void pageSayLoop(CFRunLoopRef rl, int index, const char *name) {
    const _per_run_data *run = rl->_perRunData;
    uint32_t blocks = 0;
    for (struct _block_item *item = rl->_blocks_head; item; item = item->_next) blocks++;
    pageSay("{\"name\":\"%s\",\"index\":%d,\"asleep\":%s,\"stopped\":%s,\"ignoreWakeUps\":%s,\"sent\":%s,"
            "\"message\":%s,\"nested\":%s,\"runs\":%u,\"blocks\":%u,\"mode\":",
            name, index, pageYes(__CFRunLoopIsSleeping(rl)), pageYes(run->stopped != 0),
            pageYes(run->ignoreWakeUps != 0), pageYes(rl->_wakeUpSent),
            pageYes(__CFSimPortHasMessage(rl->_wakeUpPort)), pageYes(run->_hasNested),
            __CFRunLoopThisPass(rl)->_depth, blocks);
    pageSayString(rl->_currentMode ? rl->_currentMode->_name : NULL);
    pageSay(",\"records\":[");
    Boolean isFirstRun = true;
    for (; run; run = run->previous) { // the last record stands for "no run"
        pageSay("%s{\"stopped\":%s,\"ignoreWakeUps\":%s,\"nested\":%s,\"mode\":",
                pageComma(&isFirstRun), pageYes(run->stopped != 0),
                pageYes(run->ignoreWakeUps != 0), pageYes(run->_hasNested));
        CFRunLoopModeRef itsMode = ((struct __CFRecordedRun *)run)->pass._mode;
        pageSayString(itsMode ? itsMode->_name : NULL);
        pageSay("}");
    }
    pageSay("]");
    pageSay(",\"passes\":%llu", rl->_passes ? (unsigned long long)rl->_passes->_count : 0);
    pageSayLock(&rl->_lock);
    pageSaySet("commonItems", rl->_commonModeItems);
    CFIndex count = CFSetGetCount(rl->_modes);
    const void *modes[mostNames]; // nor modes
    CFSetGetValues(rl->_modes, modes);
    pageSay(",\"modes\":[");
    Boolean isFirst = true;
    for (int i = 0; i < program.modeCount; i++) { // in the program's order
        for (CFIndex j = 0; j < count; j++) {
            CFRunLoopModeRef rlm = (CFRunLoopModeRef)modes[j];
            if (!performance.modes[i] || !CFEqual(rlm->_name, performance.modes[i])) continue;
            pageSay("%s", pageComma(&isFirst));
            pageSayMode(rlm);
        }
    }
    pageSay("]}");
}

static void pageSaySource(int index, CFRunLoopSourceRef rls) {
    pageSay(",\"signaled\":%s", pageYes(rls->_signaledTime != 0));
    if (program.items[index].kind == aPort)
        pageSay(",\"message\":%s", pageYes(__CFSimPortHasMessage(performance.ports[index])));
    pageSayLock(&rls->_lock);
}

static void pageSayTimer(CFRunLoopTimerRef rlt) {
    pageSay(",\"firing\":%s,\"due\":%s", pageYes(__CFRunLoopTimerIsFiring(rlt)),
            pageYes(__CFIsValid(rlt) && rlt->_fireTSR <= __CFSim.now));
    pageSayMoment("fire", rlt->_fireTSR);
    pageSayLock(&rlt->_lock);
}

static void pageSayItem(int index) {
    CFTypeRef ref = performance.refs[index];
    pageSay("{\"name\":\"%s\"", program.items[index].name);
    if (ref) {
        pageSay(",\"valid\":%s", pageYes(__CFIsValid(ref)));
        switch (program.items[index].kind) {
        case aSource: case aPort: pageSaySource(index, (CFRunLoopSourceRef)ref); break;
        case aTimer: pageSayTimer((CFRunLoopTimerRef)ref); break;
        case anObserver:
            pageSay(",\"firing\":%s", pageYes(__CFRunLoopObserverIsFiring((CFRunLoopObserverRef)ref)));
            pageSayLock(&((CFRunLoopObserverRef)ref)->_lock);
        }
    }
    pageSay("}");
}

/// The frames of a thread, the innermost first: the function and the statement of each.
static void pageSayThread(const __CFSimThread *thread) {
    Boolean isFirst = true;
    pageSay("{\"number\":%d,\"name\":\"%s\",\"frames\":[", thread->number, thread->name);
    if ((uint32_t)thread->number < page.threadCount)
        for (const struct PageFrame *frame = page.threads[thread->number].frame; frame;
             frame = frame->outer)
            pageSay("%s%u,%u", pageComma(&isFirst), frame->function, frame->statement);
    pageSay("]}");
}

/// What the program says, in its order: its modes, its items, and its actions by their indices. A
/// name that an action does not have is empty.
PAGE(program) const char *pageProgram(void) {
    static const char *const verbs[] = {
        [doAdd] = "add", [doRemove] = "remove", [doInvalidate] = "invalidate", [doSignal] = "signal",
        [doSend] = "send", [doReceive] = "receive", [doSet] = "set", [doWake] = "wake",
        [doStop] = "stop", [doBlock] = "block", [doQueue] = "queue", [doDeclare] = "declare",
        [doRun] = "run", [doSpend] = "spend", [doSay] = "say", [doAskWhether] = "ask",
        [doAskHow] = "ask", [doAskMode] = "ask", [doAskModes] = "ask", [doAskNext] = "ask",
        [doAskFinished] = "ask", [doAskWaiting] = "ask", [doFault] = "fault", [doClose] = "close",
        [doEmbed] = "embed", [doServe] = "serve", [doAskReadable] = "ask",
    };
    static const char *const kinds[] = {"source", "port", "timer", "observer"}; // as LoopItem's
    Boolean isFirst = true;
    page.length = 0;
    pageSay("{\"modes\":[");
    for (int i = 0; i < program.modeCount; i++)
        pageSay("%s\"%s\"", pageComma(&isFirst), program.modes[i]);
    pageSay("],\"items\":[");
    isFirst = true;
    for (int i = 0; i < program.itemCount; i++) {
        const LoopItem *item = &program.items[i];
        pageSay("%s{\"name\":\"%s\",\"kind\":\"%s\",\"activities\":%u,\"interval\":%.9g}",
                pageComma(&isFirst), item->name, kinds[item->kind], item->activities, item->interval);
    }
    pageSay("],\"actions\":[");
    isFirst = true;
    for (int i = 0; i < program.actionCount; i++) {
        const LoopAction *action = &program.actions[i];
        pageSay("%s{\"line\":%d,\"verb\":\"%s\",\"item\":\"%s\",\"thread\":\"%s\","
                "\"block\":\"%s\",\"modes\":%u,\"seconds\":%.9g,\"once\":%s,\"elsewhere\":%s}",
                pageComma(&isFirst), action->line, verbs[action->verb],
                action->item < 0 ? "" : program.items[action->item].name,
                action->thread < 0 ? "" : program.threads[action->thread],
                action->verb == doBlock || action->verb == doQueue ? program.blocks[action->block] : "",
                action->modes, action->seconds, pageYes(action->once), pageYes(action->elsewhere));
    }
    pageSay("]}");
    return page.text;
}

struct PageLoopSearch {
    CFRunLoopRef rl;
    Boolean isFound;
};
static void pageFindLoop(const void *key, const void *value, void *info) {
    struct PageLoopSearch *search = info;
    search->isFound |= value == search->rl;
}
/// Whether a loop of the program is there: a thread that has ended takes its loop with it.
static Boolean pageHasLoop(int thread) {
    struct PageLoopSearch search = {performance.performers[thread].loop, false};
    if (search.rl && __CFRunLoops)
        CFDictionaryApplyFunction(__CFRunLoops, pageFindLoop, &search);
    return search.isFound;
}

/// The program stands still from now on: nothing records, and nothing gives up its turn.
static void pageFreeze(void) {
    page.isOff = true;
    __CFSim.simulation.seed = 0;
    page.length = 0;
}

/// The state of everything, after a program was stopped at a moment.
PAGE(state) const char *pageState(void) {
    Boolean isFirst = true;
    pageFreeze();
    pageSay("{\"queue\":%u,\"threads\":[", (unsigned)__CFSim.queued);
    for (const __CFSimThread *thread = __CFSim.threads; thread; thread = thread->next) {
        if (thread->state == hasEnded && thread->isEntry) continue;
        pageSay("%s", pageComma(&isFirst));
        pageSayThread(thread);
    }
    pageSay("],\"loops\":[");
    isFirst = true;
    for (int i = 0; i < program.threadCount; i++) {
        if (!pageHasLoop(i)) continue;
        pageSay("%s", pageComma(&isFirst));
        pageSayLoop(performance.performers[i].loop, i, program.threads[i]);
    }
    pageSay("],\"items\":[");
    isFirst = true;
    for (int i = 0; i < program.itemCount; i++) {
        pageSay("%s", pageComma(&isFirst));
        pageSayItem(i);
    }
    pageSay("]}");
    return page.text;
}

/// What CFShow prints of a thread's loop. The locks are open for it, because the program stands
/// still.
PAGE(print) const char *pagePrint(int thread) {
    pageFreeze();
    pageSay("%s", "");
    if (!pageHasLoop(thread)) return page.text;
    CFRunLoopRef rl = performance.performers[thread].loop;
    CFIndex count = CFSetGetCount(rl->_modes);
    const void *modes[mostNames]; // nor modes
    CFSetGetValues(rl->_modes, modes);
    rl->_lock.holder = 0;
    for (CFIndex i = 0; i < count; i++) ((CFRunLoopModeRef)modes[i])->_lock.holder = 0;
    for (int i = 0; i < program.itemCount; i++) {
        CFTypeRef ref = performance.refs[i];
        if (!ref) continue;
        switch (program.items[i].kind) {
        case aSource: case aPort: ((CFRunLoopSourceRef)ref)->_lock.holder = 0; break;
        case aTimer: ((CFRunLoopTimerRef)ref)->_lock.holder = 0; break;
        case anObserver: ((CFRunLoopObserverRef)ref)->_lock.holder = 0;
        }
    }
    CFStringRef description = CFCopyDescription(rl);
    CFIndex size = 4 * CFStringGetLength(description) + 1;
    char *bytes = malloc((size_t)size);
    if (!bytes) abort();
    CFStringGetCString(description, bytes, size, kCFStringEncodingUTF8);
    pageSay("%s", bytes);
    free(bytes);
    CFRelease(description);
    return page.text;
}

/// The functions of the program's items, by the names that PerformProgram.c gives them. A Mac and
/// Linux find a function's name in the program's file; a module has none.
__CFSymbol __CFSymbolFind(const void *function) {
    static const __CFSymbol known[] = {
        {"performSource", (const void *)performSource, "Page.wasm"},
        {"performPort", (const void *)performPort, "Page.wasm"},
        {"performTimer", (const void *)performTimer, "Page.wasm"},
        {"performObserver", (const void *)performObserver, "Page.wasm"},
        {"performWait", (const void *)performWait, "Page.wasm"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].start == function) return known[i];
    return (__CFSymbol){NULL, NULL, NULL};
}

/// The names of the threads that have moments, by number from 1, a line each. Others have an empty
/// line.
PAGE(thread_names) const char *pageThreadNames(void) {
    page.length = 0;
    pageSay("%s", "");
    for (uint32_t i = 1; i < page.threadCount; i++) pageSay("%s\n", page.threads[i].name);
    return page.text;
}
