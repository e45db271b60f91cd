/// CheckProgram.c: the rules that hold for every program, whatever its threads do and whoever goes
/// first. PerformProgram.c includes it, and calls it where a rule can be broken. The first
/// complaint is kept, and stands in the log.
///
/// What the threads do at the same time may happen in either order. So a rule about an order needs
/// two events of which one has ended before the other begins: each gets a number then, its turn.

enum { mostTickets = 64 };

static struct {
    bool isWoken;        // every loop with work is woken
    uint32_t turn;       // the last event's
    uint32_t declared;   // the turn in which a mode has become common last
    int declaring;       // how many threads make a mode common
    int functions;       // of the main queue that are running
    int handOvers;       // observers of AfterWaiting that are running on the main thread
    struct CheckItem {
        int64_t due;     // a timer fires no earlier, in nanoseconds
        bool isExact;    // it is to fire then
        bool isRaced;    // its date is being set while something else happens to it
        int settings;    // how many threads set its date
        bool isPending;  // a source: signalled, and not performed since
        uint32_t signalBegins, signalEnds; // the first of these signals; it begins at 0: unknown
        int signallers;  // how many threads signal it
        bool isMixed;    // two of them at once have: either may count as the first
        uint32_t added;  // the turn in which it has been added to a mode last
        int adding;      // how many threads add it
    } items[mostNames];
    struct CheckTicket { // of the last blocks that were queued
        int number, block, thread;
        unsigned modes;
        bool isPending;
        uint32_t begins, ends; // the queueing
    } tickets[mostTickets];
    int ticketCount;
    struct CheckThread {
        int watcher;     // the number of the item, from 1
        int runCount;    // that the watcher has seen begin, and not end
        unsigned activities[mostNames]; // what it has seen last in each
        uint32_t looks[mostNames];      // the turn of BeforeSources in each
        struct CheckRun {
            int mode;      // of the innermost run
            bool isCommon; // since it began
            double begins;
        } run;
        unsigned commonModes;
        uint32_t block;  // the turn in which the block around the call has begun; 0: none
    } threads[mostNames];
} checks;

static __attribute__((format(printf, 1, 2))) void complain(const char *format, ...) {
    if (performance.complaint[0]) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(performance.complaint, sizeof performance.complaint, format, arguments);
    va_end(arguments);
    SimulationSay("BROKEN: %s", performance.complaint);
}


// MARK: - In a callback

/// Whether an item is an observer that sees each run of some modes: its own thread, outside of any
/// run, has added it, and nothing else happens to it.
static bool checkWatches(int item) {
    const LoopProgram *program = performance.program;
    const LoopItem *observer = &program->items[item];
    if (observer->activities != 0x0FFFFFFF || observer->once) return false;
    for (int i = 0; i < program->actionCount; i++) {
        const LoopAction *action = &program->actions[i];
        const LoopPlace *place = &program->places[action->place];
        if (action->item != item) continue;
        if (action->verb != doAdd || action->modes & 1u << commonModesIndex
            || place->kind != ofThread || place->index != observer->thread)
            return false;
    }
    return true;
}

/// The watcher sees each run from Entry to Exit, and each pass in its order. Runs
/// nest, so what it has seen last is a stack.
static void checkActivity(int item, unsigned activity, int thread) {
    struct CheckThread *seen = &checks.threads[thread];
    int last = seen->runCount - 1;
    unsigned before = last >= 0 ? seen->activities[last] : 0;
    const unsigned begun = kCFRunLoopEntry | kCFRunLoopBeforeSources | kCFRunLoopAfterWaiting;
    unsigned allowed = activity == kCFRunLoopBeforeSources ? kCFRunLoopBeforeTimers
        : activity == kCFRunLoopBeforeWaiting ? kCFRunLoopBeforeSources
        : activity == kCFRunLoopAfterWaiting ? kCFRunLoopBeforeWaiting
        : begun; // BeforeTimers, Exit
    if (activity == kCFRunLoopEntry && seen->runCount < mostNames)
        return (void)(seen->activities[seen->runCount++] = activity);
    if (!(before & allowed))
        complain("%s is notified of %s after %s", performance.program->items[item].name,
                 loopActivityName(activity), before ? loopActivityName(before) : "no Entry");
    if (last < 0) return;
    seen->activities[last] = activity;
    if (activity == kCFRunLoopBeforeSources) seen->looks[last] = ++checks.turn;
    if (activity == kCFRunLoopExit) seen->runCount--;
}

static int64_t checkNow(void) { return (int64_t)(__CFSim.now - __kCFSimBoot); }

static int64_t checkNanoseconds(double date) {
    return date < 1e9 ? (int64_t)(date * 1e9 + (date < 0 ? -0.5 : 0.5)) : INT64_MAX / 2;
}

/// A timer fires at its date at the earliest. Then it goes on with the next date of its rhythm that
/// has not passed. If that is not known, because the date was set while the timer fired, or by two
/// threads, `due` is the earliest of what it can be.
static void checkTimerFires(int item) {
    enum { rounding = 4 };
    const LoopItem *timer = &performance.program->items[item];
    struct CheckItem *check = &checks.items[item];
    int64_t now = checkNow(), interval = checkNanoseconds(timer->interval);
    if (now + rounding < check->due)
        complain("%s fires at %.9f s, but its date is %.9f s", timer->name, (double)now / 1e9,
                 (double)check->due / 1e9);
    if (check->settings) check->isRaced = true, check->isExact = false;
    if (!check->isExact || interval <= 0) return;
    int64_t late = now - check->due - rounding;
    check->due += (late < 0 ? 1 : late / interval + 1) * interval;
}

static bool checkIsSignaled(int item) {
    CFRunLoopSourceRef source = (CFRunLoopSourceRef)performance.refs[item];
    return __CFIsValid(source) && __c11_atomic_load(&source->_signaledTime, __ATOMIC_SEQ_CST);
}

static bool checkIsInMode(int item, CFRunLoopModeRef rlm) {
    uint64_t seed = __CFSim.simulation.seed;
    __CFSim.simulation.seed = 0; // no pause switches
    bool isIn = rlm && rlm->_sources0 && CFSetContainsValue(rlm->_sources0, performance.refs[item]);
    __CFSim.simulation.seed = seed;
    return isIn;
}

/// Whether a pass has certainly found both sources signalled, and the other one comes first. The
/// pass has looked after BeforeSources.
static bool checkIsPassedOver(int other, int item, uint32_t look) {
    const LoopItem *one = &performance.program->items[other],
                   *two = &performance.program->items[item];
    const struct CheckItem *first = &checks.items[other], *second = &checks.items[item];
    if (one->kind != aSource || one->thread != two->thread || !first->isPending) return false;
    if (first->adding || checks.declaring) return false;
    if (first->signalEnds >= look || first->added >= look || checks.declared >= look) return false;
    bool isEarlier = second->signalBegins > first->signalEnds && !first->isMixed && !second->isMixed;
    if (one->order > two->order || (one->order == two->order && !isEarlier)) return false;
    CFRunLoopRef rl = performance.performers[one->thread].loop;
    return checkIsSignaled(other) && checkIsInMode(other, rl->_currentMode);
}

/// Of the sources that are signalled when a pass looks, that with the lower order performs first;
/// with the same order, that which was signalled first.
static void checkSourcePerforms(int item, int thread) {
    const struct CheckThread *seen = &checks.threads[thread];
    struct CheckItem *check = &checks.items[item];
    uint32_t look = seen->runCount ? seen->looks[seen->runCount - 1] : 0;
    for (int i = 0; look && i < performance.program->itemCount; i++)
        if (i != item && checkIsPassedOver(i, item, look))
            complain("%s performs before %s, which comes first",
                     performance.program->items[item].name, performance.program->items[i].name);
    // It may have been signalled again since the loop has called it.
    check->isPending = checkIsSignaled(item);
    check->isMixed = check->signallers > 0;
    check->signalBegins = 0;
    check->signalEnds = ++checks.turn;
}

static void checkLocks(const char *name) {
    if (SimulationGetLockCount()) complain("%s is called while its thread holds a lock", name);
}

static void checkCallBegins(int item, unsigned activity, int thread) {
    const LoopItem *called = &performance.program->items[item];
    int calls = performance.calls[item];
    checkLocks(called->name);
    if (thread != called->thread) complain("%s is called on another thread", called->name);
    if (called->kind == aSource && calls > performance.signals[item])
        complain("%s performs for the %d. time after %d signals", called->name, calls,
                 performance.signals[item]);
    if (((called->kind == aTimer && !called->interval) || called->once) && calls > 1)
        complain("%s is called twice, but does not repeat", called->name);
    if (checks.threads[thread].watcher == item + 1) checkActivity(item, activity, thread);
    if (called->kind == aTimer) checkTimerFires(item);
    if (called->kind == aSource && thread == called->thread) checkSourcePerforms(item, thread);
    if (activity == kCFRunLoopAfterWaiting && thread == mainThreadIndex) checks.handOvers++;
}

static void checkCallEnds(unsigned activity, int thread) {
    if (activity == kCFRunLoopAfterWaiting && thread == mainThreadIndex) checks.handOvers--;
}

// MARK: - Blocks

static struct CheckTicket *checkTicket(int number) {
    struct CheckTicket *ticket = &checks.tickets[number % mostTickets];
    return ticket->number == number ? ticket : NULL; // a later one may have its place
}

/// Returns the number of a block's queueing, which begins.
static int checkQueues(int block, int thread, unsigned modes) {
    int number = checks.ticketCount++;
    checks.tickets[number % mostTickets] = (struct CheckTicket){
        .number = number, .block = block, .thread = thread, .modes = modes, .isPending = true,
        .begins = ++checks.turn};
    return number;
}

static void checkIsQueued(int number) {
    struct CheckTicket *ticket = checkTicket(number);
    if (ticket) ticket->ends = ++checks.turn;
}

static bool checkIsForRun(const struct CheckTicket *ticket, const struct CheckRun *run) {
    return ticket->modes & 1u << run->mode
        || (run->isCommon && ticket->modes & 1u << commonModesIndex);
}

/// Blocks run in the order of their queueing. A run that nests in a block does not see those that
/// were queued before this block has begun.
static void checkBlockOrder(const struct CheckTicket *ticket, int thread) {
    const struct CheckThread *here = &checks.threads[thread];
    for (int i = 0; i < mostTickets && i < checks.ticketCount; i++) {
        const struct CheckTicket *other = &checks.tickets[i];
        if (!other->isPending || other->thread != thread || !other->ends) continue;
        if (other->ends < ticket->begins && other->begins > here->block
            && checkIsForRun(other, &here->run))
            complain("%s runs before %s, which was queued first",
                     performance.program->blocks[ticket->block],
                     performance.program->blocks[other->block]);
    }
}

/// Returns what checkBlockEnds needs.
static uint32_t checkBlockBegins(int block, int number, int thread) {
    const char *name = performance.program->blocks[block];
    uint32_t before = checks.threads[thread].block;
    checkLocks(name);
    if (performance.runs[block] > performance.queued[block])
        complain("%s runs for the %d. time, but was queued %d times", name, performance.runs[block],
                 performance.queued[block]);
    struct CheckTicket *ticket = number >= 0 ? checkTicket(number) : NULL;
    if (ticket) {
        ticket->isPending = false;
        checkBlockOrder(ticket, thread);
    }
    if (number >= 0) checks.threads[thread].block = ++checks.turn;
    else checks.functions++;
    return before;
}

static void checkBlockEnds(uint32_t before, int thread, int number) {
    checks.threads[thread].block = before;
    if (number < 0) checks.functions--;
}

// MARK: - Runs

static struct CheckRun checkRunBegins(const LoopAction *action, int thread) {
    struct CheckThread *here = &checks.threads[thread];
    struct CheckRun before = here->run;
    unsigned mode = action->modes & -action->modes;
    here->run = (struct CheckRun){
        .mode = __builtin_ctz(mode), .begins = SimulationGetTime(),
        .isCommon = mode == 1u << defaultModeIndex || mode & here->commonModes};
    return before;
}

static void checkResult(const LoopAction *action, SInt32 result, double seconds) {
    const char *mode = performance.program->modes[__builtin_ctz(action->modes)];
    if (result == kCFRunLoopRunTimedOut && seconds < action->seconds - 1e-9)
        complain("a run of %s for %gs times out after %gs", mode, action->seconds, seconds);
    if (result == kCFRunLoopRunHandledSource && !action->once)
        complain("a run of %s ends with a source, and was not asked to", mode);
}

static void checkRunEnds(struct CheckRun before, const LoopAction *action, SInt32 result,
                         int thread) {
    struct CheckThread *here = &checks.threads[thread];
    checkResult(action, result, SimulationGetTime() - here->run.begins);
    here->run = before;
}

// MARK: - Actions

/// A date that has passed when it is set counts as the moment at which it is set.
static int64_t checkLater(int64_t date) { return date > checkNow() ? date : checkNow(); }

/// A timer is made with this date.
static void checkMade(int item, double date) {
    checks.items[item].due = checkLater(checkNanoseconds(date));
    checks.items[item].isExact = true;
}

static bool checkIsFiring(int item) {
    CFRunLoopTimerRef timer = (CFRunLoopTimerRef)performance.refs[item];
    return __c11_atomic_load(&timer->_bits, __ATOMIC_SEQ_CST) != 0;
}

struct CheckAction {
    int64_t date;  // doSet
    uint32_t turn; // in which it has begun
};

/// From now on either date may count, the old one or the new one.
static struct CheckAction checkActionBegins(const LoopAction *action) {
    struct CheckAction result = {.turn = ++checks.turn};
    if (action->verb == doSignal && checks.items[action->item].signallers++)
        checks.items[action->item].isMixed = true;
    checks.declaring += action->verb == doDeclare;
    if (action->verb == doAdd) checks.items[action->item].adding++;
    if (action->verb != doSet) return result;
    struct CheckItem *check = &checks.items[action->item];
    result.date = checkNanoseconds(action->seconds);
    result.date = checkLater(result.date + (action->isAfterNow ? checkNow() : 0));
    if (check->settings++ || checkIsFiring(action->item)) check->isRaced = true;
    if (result.date < check->due) check->due = result.date;
    check->isExact = false;
    return result;
}

static void checkIsSet(struct CheckItem *check, int item, int64_t date) {
    if (checkIsFiring(item)) check->isRaced = true;
    if (--check->settings) return;
    if (!check->isRaced) check->due = date, check->isExact = true;
    check->isRaced = false;
}

static void checkActionEnds(struct CheckAction before, const LoopAction *action, int owner) {
    struct CheckItem *check = action->item >= 0 ? &checks.items[action->item] : NULL;
    switch (action->verb) {
    case doSet: checkIsSet(check, action->item, before.date); break;
    case doSignal:
        check->signallers--;
        if (check->isPending || !checkIsSignaled(action->item)) break;
        check->isPending = true;
        check->signalBegins = before.turn;
        check->signalEnds = ++checks.turn;
        break;
    case doAdd:
        check->adding--;
        check->added = ++checks.turn;
        break;
    case doDeclare:
        checks.declaring--;
        checks.declared = ++checks.turn;
        checks.threads[owner].commonModes |= action->modes;
        break;
    default: break;
    }
}

// MARK: - When all threads wait

static void checkStop(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    if (__c11_atomic_load(&__c11_atomic_load(&rl->_perRunData, __ATOMIC_SEQ_CST)->stopped,
                          __ATOMIC_SEQ_CST) || rlm->_stopped)
        complain("a loop sleeps although it was stopped");
}

/// The deadline that the kernel knows is no later than any timer of the mode allows. If the timer
/// port has ended the wait of an outer run, the mode's timers are that run's: a nested one does not
/// wait for them, unless one changes.
static void checkTimers(CFRunLoopRef rl, CFRunLoopModeRef rlm, __CFSimThread *thread) {
    _per_run_data *outer = __c11_atomic_load(&rl->_perRunData, __ATOMIC_SEQ_CST)->previous;
    Boolean hasGoneOff = rlm->_mkTimerArmed && thread->set->timerDeadline == UINT64_MAX;
    if (hasGoneOff && outer && outer->previous) return;
    CFIndex count = rlm->_timers ? CFArrayGetCount(rlm->_timers) : 0;
    for (CFIndex i = 0; i < count; i++) {
        CFRunLoopTimerRef timer = (CFRunLoopTimerRef)CFArrayGetValueAtIndex(rlm->_timers, i);
        uint64_t latest = timer->_fireTSR + __CFTimeIntervalToTSR(timer->_tolerance);
        if (!__CFIsValid(timer) || __c11_atomic_load(&timer->_bits, __ATOMIC_SEQ_CST)) continue;
        if (__CFSimDeadline(thread) > latest)
            complain("%s sleeps past the date of the timer %s", thread->name,
                     performance.program->items[(intptr_t)timer->_context.info].name);
    }
}

static void checkSource(const void *value, void *thread) {
    CFRunLoopSourceRef source = (CFRunLoopSourceRef)value;
    if (__CFIsValid(source) && __c11_atomic_load(&source->_signaledTime, __ATOMIC_SEQ_CST))
        complain("%s sleeps although the source %s is signalled", ((__CFSimThread *)thread)->name,
                 performance.program->items[(intptr_t)source->_context.version0.info].name);
}

static void checkPort(const void *value, void *thread) {
    CFRunLoopSourceRef source = (CFRunLoopSourceRef)value;
    int item = (int)(intptr_t)source->_context.version1.info;
    if (__CFIsValid(source) && __CFSimPortHasMessage(performance.ports[item]))
        complain("%s sleeps although the port %s is ready", ((__CFSimThread *)thread)->name,
                 performance.program->items[item].name);
}

static void checkBlocks(CFRunLoopRef rl, CFRunLoopModeRef rlm, __CFSimThread *thread) {
    for (struct _block_item *item = rl->_blocks_head; item; item = item->_next) {
        Boolean isName = CFGetTypeID(item->_mode) == CFStringGetTypeID();
        CFStringRef name = rlm->_name, common = kCFRunLoopCommonModes;
        Boolean isFor = isName ? CFEqual(item->_mode, name) : CFSetContainsValue(item->_mode, name);
        Boolean isCommon = isName ? CFEqual(item->_mode, common)
                                  : CFSetContainsValue(item->_mode, common);
        if (isFor || (isCommon && CFSetContainsValue(rl->_commonModes, name)))
            complain("%s sleeps although a block waits", thread->name);
    }
}

/// The run serves the main queue if its mode was common when it began, and no function of the
/// queue is running around it. If the queue's port has ended the wait of an outer run, that run
/// has the message, until its observers of AfterWaiting have returned.
static void checkMainQueue(CFRunLoopRef rl) {
    if (rl != performance.performers[mainThreadIndex].loop || checks.functions) return;
    if (!checks.threads[mainThreadIndex].run.isCommon || !__CFSim.queued) return;
    if (!checks.handOvers || __CFSimPortHasMessage(__CFSimMainQueuePort))
        complain("main sleeps although the main queue has a function");
}

/// Checks a loop that sleeps. Every signal, block and addition of the program is followed by a
/// wake-up: `hasWoken`.
static void checkSleeper(CFRunLoopRef rl, __CFSimThread *thread, bool hasWoken) {
    CFRunLoopModeRef rlm = rl->_currentMode;
    if (!rlm || rlm->_portSet != thread->set) return;
    checkStop(rl, rlm);
    checkTimers(rl, rlm, thread);
    checkMainQueue(rl);
    if (rlm->_sources1) CFSetApplyFunction(rlm->_sources1, checkPort, thread);
    if (!hasWoken) return;
    if (rlm->_sources0) CFSetApplyFunction(rlm->_sources0, checkSource, thread);
    checkBlocks(rl, rlm, thread);
}

/// Whether each action that gives a loop work is followed by a wake-up of that loop, at once and in
/// the same place; or is its own thread's, outside of any run.
static bool checkWakes(const LoopProgram *program) {
    for (int i = 0; i < program->actionCount; i++) {
        const LoopAction *action = &program->actions[i], *next = action + 1;
        const LoopPlace *place = &program->places[action->place];
        bool needs = action->verb == doSignal || action->verb == doBlock || action->verb == doAdd
                     || action->verb == doDeclare; // it adds the common items
        if (!needs) continue;
        int loop = action->item >= 0 ? program->items[action->item].thread : action->thread;
        if (place->kind == ofThread && (loop < 0 || loop == place->index)) continue;
        if (i + 1 == program->actionCount || next->place != action->place || next->verb != doWake
            || next->thread != loop || action->elsewhere || next->elsewhere)
            return false;
    }
    return true;
}

/// Finds an observer for each thread that sees its runs.
static void checkBegin(void) {
    memset(&checks, 0, (size_t)((char *)&checks.threads[performance.program->threadCount] - (char *)&checks));
    for (int i = performance.program->itemCount - 1; i >= 0; i--)
        if (performance.program->items[i].kind == anObserver && checkWatches(i))
            checks.threads[performance.program->items[i].thread].watcher = i + 1;
    checks.isWoken = checkWakes(performance.program);
}

/// No thread has the turn, so nothing changes while this looks.
static void checkIdle(void *unused) {
    __CFSimThread *self = __CFSim.current;
    uint64_t seed = __CFSim.simulation.seed;
    bool hasWoken = checks.isWoken;
    __CFSim.simulation.seed = 0; // no pause switches
    for (__CFSimThread *thread = __CFSim.threads; thread; thread = thread->next) {
        if (thread->state != waitsForPorts) continue;
        for (int i = 0; i < performance.program->threadCount; i++)
            if (performance.performers[i].loop)
                checkSleeper(performance.performers[i].loop, thread, hasWoken);
    }
    __CFSim.simulation.seed = seed;
    __CFSim.current = self;
}
