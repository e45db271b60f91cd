/// ContractTests.c: behaviour of a run loop that looks odd but is intended. Programs rely on it, and the original does the same.
///
/// There is one case for each such rule. If a case fails after a change, the change has "fixed" behaviour that was correct.
#include "LoopSupport.h"
#include <unistd.h>

// MARK: - Removed in the middle of a pass

TEST(contract_an_observer_removed_by_an_earlier_one_is_told_once_more,
     "An observer that an earlier observer of the same activity removes is called once more; one that it invalidates is not") {
    __block CFRunLoopObserverRef removed, invalidated;
    KeepAlive(LOOP, A);
    AddObserver("first", kCFRunLoopBeforeTimers, 0, A, ^{
        CFRunLoopRemoveObserver(LOOP, removed, A);
        CFRunLoopObserverInvalidate(invalidated);
    });
    removed = AddObserver("removed", kCFRunLoopBeforeTimers | kCFRunLoopExit, 1, A, NULL);
    invalidated = AddObserver("invalidated", kCFRunLoopBeforeTimers | kCFRunLoopExit, 2, A, NULL);
    Run(A, 0, false);
    Run(A, 0, false);
    CHECK_LOG("first\nremoved\nTimedOut\nfirst\nTimedOut");
}

TEST(contract_a_source_removed_by_an_earlier_one_is_performed_once_more,
     "A signalled source that an earlier source of the same pass removes is performed once more; one that it invalidates is not") {
    __block CFRunLoopSourceRef removed, invalidated;
    CFRunLoopSourceRef first = AddSource0("first", 0, A, ^{
        CFRunLoopRemoveSource(LOOP, removed, A);
        CFRunLoopSourceInvalidate(invalidated);
    });
    removed = AddSource0("removed", 1, A, NULL);
    invalidated = AddSource0("invalidated", 2, A, NULL);
    CFRunLoopSourceRef all[] = {first, removed, invalidated};
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 3; i++) CFRunLoopSourceSignal(all[i]);
        Run(A, 0, false);
    }
    CHECK_LOG("first\nremoved\nTimedOut\nfirst\nTimedOut");
}

TEST(contract_a_timer_removed_by_an_earlier_one_does_not_fire,
     "A due timer that an earlier timer of the same pass removes from all its modes does not fire") {
    __block CFRunLoopTimerRef removed, kept;
    AddTimer("first", 0, 0, A, ^{
        CFRunLoopRemoveTimer(LOOP, removed, A);
        CFRunLoopRemoveTimer(LOOP, kept, A);
    });
    removed = AddTimer("removed", 0, 0, A, NULL);
    kept = AddTimer("in another mode still", 0, 0, A, NULL);
    CFRunLoopAddTimer(LOOP, kept, B);
    Run(A, 0, false);
    CHECK_LOG("first\nin another mode still\nTimedOut");
    CHECK(CFRunLoopTimerIsValid(removed));
}

// MARK: - Results

TEST(contract_with_a_limit_of_0_a_run_is_never_stopped,
     "A run with a limit of 0 times out even if it was stopped or emptied in its pass; it returns Finished only if the mode is empty "
     "before the pass") {
    CFRunLoopSourceRef stops = AddSource0("stops", 0, A, ^{ CFRunLoopStop(LOOP); });
    CFRunLoopSourceSignal(stops);
    Run(A, 0, false);
    CFRunLoopSourceInvalidate(stops);
    __block CFRunLoopSourceRef last;
    last = AddSource0("goes", 0, C, ^{ CFRunLoopSourceInvalidate(last); });
    CFRunLoopSourceSignal(last);
    Run(C, 0, false);
    Run(C, 0, false);
    CHECK_LOG("stops\nTimedOut\ngoes\nTimedOut\nFinished");
}

TEST(contract_handled_comes_before_timed_out_before_stopped,
     "If a run ends for several reasons, the result is the first of these: a source was handled, the limit has passed, the run was "
     "stopped, the mode is empty") {
    __block CFRunLoopSourceRef source;
    source = AddSource0("stops, late", 0, A, ^{
        CFRunLoopStop(LOOP);
        usleep(3000);
        CFRunLoopSourceSignal(source);
    });
    CFRunLoopSourceSignal(source);
    Run(A, 0.001, true);
    Run(A, 0.001, false);
    CFRunLoopSourceInvalidate(source);
    source = AddSource0("stops, empties", 0, A, ^{
        CFRunLoopStop(LOOP);
        CFRunLoopSourceInvalidate(source);
    });
    CFRunLoopSourceSignal(source);
    Run(A, 10, false);
    CHECK_LOG("stops, late\nHandledSource\nstops, late\nTimedOut\nstops, empties\nStopped");
}

TEST(contract_emptiness_is_looked_at_before_a_run_and_after_a_pass,
     "A mode with only a block performs it and waits for its limit; a mode emptied before the sleep sleeps, and one emptied after it is "
     "Finished") {
    CFRunLoopPerformBlock(LOOP, A, ^{ LOG("block"); });
    LogActivities(A);
    double start = SecondsNow();
    Run(A, 0.02, false);
    CHECK(SecondsNow() - start >= 0.019);
    CHECK_LOG("Entry\nBeforeTimers\nBeforeSources\nblock\nBeforeWaiting\nAfterWaiting\nExit\nTimedOut");
    LOG_EVENT_CLEAR();
    AddTimer("the only item", 0.001, 0, B, NULL); // gone once it has fired
    Run(B, 10, false);
    CHECK_LOG("the only item\nFinished");
}

TEST(contract_a_stop_at_entry_ends_the_run_at_once,
     "A run that an observer of Entry stops makes no pass; the wake-up that came with the stop ends the next wait") {
    KeepAlive(LOOP, A);
    LogActivities(A);
    __block bool stops = true;
    CFRunLoopAddObserver(LOOP, MakeQuietObserver(kCFRunLoopEntry, ^(CFRunLoopActivity activity) { if (stops) CFRunLoopStop(LOOP); }), A);
    Run(A, 10, false);
    stops = false;
    Run(A, 0.2 * TimeScale(), false);
    CHECK_LOG("Entry\nExit\nStopped\n"
              "Entry\nBeforeTimers\nBeforeSources\nBeforeWaiting\nAfterWaiting\nBeforeTimers\nBeforeSources\nBeforeWaiting\nAfterWaiting\nExit\nTimedOut");
}

// MARK: - Timers

TEST(contract_a_date_set_in_a_timers_callout_is_honoured,
     "A date that a repeating timer's callout sets is kept if it is later than the date being served, even if it has passed already: the "
     "timer then fires again at once") {
    __block CFRunLoopTimerRef timer;
    __block int fired = 0;
    timer = AddTimer("timer", -10, 3600, A, ^{
        if (++fired == 1) CFRunLoopTimerSetNextFireDate(timer, CFAbsoluteTimeGetCurrent() - 5);
        if (fired == 2) CFRunLoopTimerSetNextFireDate(timer, CFAbsoluteTimeGetCurrent() + 7200);
    });
    Run(A, 0, false);
    Run(A, 0, false);
    Run(A, 0, false);
    CHECK_LOG("timer\nTimedOut\ntimer\nTimedOut\nTimedOut");
    CHECK_EQ_DOUBLE(CFRunLoopTimerGetNextFireDate(timer), CFAbsoluteTimeGetCurrent() + 7200, 60);
}

TEST(contract_a_one_shot_timer_is_invalidated_whatever_date_it_sets,
     "A timer without an interval fires once, even if its callout sets a next date") {
    __block CFRunLoopTimerRef timer;
    timer = AddTimer("timer", 0, 0, A, ^{
        CFRunLoopTimerSetNextFireDate(timer, CFAbsoluteTimeGetCurrent() + 0.001);
        CHECK(CFRunLoopTimerIsValid(timer));
    });
    KeepAlive(LOOP, A);
    Run(A, 0.02, false);
    CHECK_LOG("timer\nTimedOut");
    CHECK(!CFRunLoopTimerIsValid(timer));
    CHECK(!CFRunLoopContainsTimer(LOOP, timer, A));
}

TEST(contract_a_timers_context_is_retained_around_each_callout,
     "A timer's info is retained before each callout and released after it; a source's and an observer's are not") {
    CFRunLoopTimerRef timer = MakeLoudTimer("timer", 0, 1e6, NULL);
    CFRunLoopSourceRef source = MakeLoudSource0("source", NULL);
    CFRunLoopObserverRef observer = MakeLoudObserver("observer", kCFRunLoopEntry, true, NULL);
    LOG_EVENT_CLEAR();
    CFRunLoopAddTimer(LOOP, timer, A);
    CFRunLoopAddObserver(LOOP, observer, A);
    CFRunLoopAddSource(LOOP, source, A);
    CFRunLoopSourceSignal(source);
    Run(A, 0, false);
    CHECK_LOG("schedule source A\nperform observer\nperform source\nretain timer\nperform timer\nrelease timer\nTimedOut");
}

// MARK: - Contexts and equality

TEST(contract_an_invalid_observer_or_timer_has_lost_its_info_a_source_keeps_it,
     "After invalidation GetContext returns no info for an observer or timer; for a source it still does, because a set that contains "
     "the source may need it") {
    CFRunLoopSourceRef source = MakeSource0("source", 0, NULL);
    CFRunLoopTimerRef timer = MakeTimer("timer", 1, 0, NULL);
    CFRunLoopObserverRef observer = MakeObserver("observer", 1, 0, NULL);
    for (int valid = 1; valid >= 0; valid--) {
        CFRunLoopSourceContext ofSource = {0};
        CFRunLoopTimerContext ofTimer = {0};
        CFRunLoopObserverContext ofObserver = {0};
        CFRunLoopSourceGetContext(source, &ofSource);
        CFRunLoopTimerGetContext(timer, &ofTimer);
        CFRunLoopObserverGetContext(observer, &ofObserver);
        CHECK(ofSource.info != NULL);
        CHECK_EQ_INT(ofTimer.info != NULL, valid);
        CHECK_EQ_INT(ofObserver.info != NULL, valid);
        CFRunLoopSourceInvalidate(source);
        CFRunLoopTimerInvalidate(timer);
        CFRunLoopObserverInvalidate(observer);
    }
}

static Boolean sameWord(const void *info1, const void *info2) { return *(const char *)info1 == *(const char *)info2; }
static CFHashCode hashOfWord(const void *info) { return (CFHashCode) * (const char *)info; }
static void logWord(void *info) { LOG("%s", (char *)info); }

static CFRunLoopSourceRef makeWord(const char *word) {
    CFRunLoopSourceContext context = {.info = (void *)word, .equal = sameWord, .hash = hashOfWord, .perform = logWord};
    return CFRunLoopSourceCreate(NULL, 0, &context);
}

TEST(contract_equal_sources_count_as_one,
     "A source that equals one in the mode, by their contexts' equal and hash, counts as contained and is not added; removing it removes "
     "that one") {
    CFRunLoopSourceRef first = makeWord("apple"), second = makeWord("apricot"), other = makeWord("pear");
    CHECK(CFEqual(first, second) && CFHash(first) == CFHash(second) && !CFEqual(first, other));
    CFRunLoopSourceRef all[] = {first, second, other};
    for (int i = 0; i < 3; i++) {
        CHECK_EQ_INT(CFRunLoopContainsSource(LOOP, all[i], A), i == 1);
        CFRunLoopAddSource(LOOP, all[i], A);
        CFRunLoopSourceSignal(all[i]);
    }
    Run(A, 0, false);
    CFRunLoopRemoveSource(LOOP, second, A);
    CHECK(!CFRunLoopContainsSource(LOOP, first, A));
    CFRunLoopSourceSignal(first);
    Run(A, 0, false);
    CHECK_LOG("apple\npear\nTimedOut\nTimedOut");
    for (int i = 0; i < 3; i++) CFRelease(all[i]);
}

// MARK: - What counts as a handled source

TEST(contract_a_timer_or_a_block_is_not_a_handled_source,
     "A run that is to return after a source continues after a timer and after a block") {
    AddTimer("timer", 0, 0, A, NULL);
    CFRunLoopPerformBlock(LOOP, A, ^{ LOG("block"); });
    KeepAlive(LOOP, A);
    Run(A, 0.01, true);
    CHECK_LOG("block\ntimer\nTimedOut");
}

TEST(contract_a_main_queue_block_is_a_handled_source,
     "A run that is to return after a source returns after a block of the main dispatch queue") {
    dispatch_async(&_dispatch_main_q, ^{ LOG("queued"); });
    Run(DEFAULT, 5, true);
    CHECK_LOG("queued\nHandledSource");
}

// MARK: - Stopping, waking, the main loop

TEST(contract_a_stop_before_a_run_has_no_effect, "A stop before a run has no effect, and neither has a wake-up") {
    KeepAlive(LOOP, A);
    LogActivities(A);
    CFRunLoopStop(LOOP);
    CFRunLoopWakeUp(LOOP);
    Run(A, 0.005, false);
    CHECK_LOG("Entry\nBeforeTimers\nBeforeSources\nBeforeWaiting\nAfterWaiting\nExit\nTimedOut");
}

TEST(contract_perform_block_alone_does_not_wake,
     "A block that another thread queues while the loop sleeps is performed after the next wake-up") {
    LoopThread *thread = StartLoopThread(A, NULL);
    WaitUntilAsleep(thread->loop);
    static _Atomic(bool) performed;
    CFRunLoopPerformBlock(thread->loop, A, ^{ performed = true; });
    CHECK(STAYS_FOR(!performed, 20));
    CFRunLoopWakeUp(thread->loop);
    CHECK(WAIT_UNTIL(performed, 5));
    EndLoopThread(thread);
}

TEST(contract_the_main_loop_is_not_empty_in_a_common_mode,
     "The main loop without items waits for its main queue in a common mode, and finishes at once in any other mode") {
    Run(DEFAULT, 0.005, false);
    Run(A, 5, false);
    CFRunLoopAddCommonMode(LOOP, B);
    CFRunLoopPerformBlock(LOOP, B, ^{}); // the first use of a mode that was declared common creates it
    Run(B, 0.005, false);
    Run(B, 0.005, false);
    OnNewThread(^{ Run(DEFAULT, 5, false); });
    CHECK_LOG("TimedOut\nFinished\nTimedOut\nTimedOut\nFinished");
}

TEST(contract_the_main_queue_is_not_served_within_one_of_its_blocks,
     "A run nested in a block of the main queue does not serve the queue; a run nested in a source does") {
    KeepAlive(LOOP, DEFAULT); // otherwise the mode counts as empty within such a block
    dispatch_async(&_dispatch_main_q, ^{
        LOG("outer begins");
        dispatch_async(&_dispatch_main_q, ^{ LOG("inner"); });
        Run(DEFAULT, 0.01, false);
        LOG("outer ends");
    });
    Run(DEFAULT, 5, true);
    Run(DEFAULT, 5, true);
    CHECK_LOG("outer begins\nTimedOut\nouter ends\nHandledSource\ninner\nHandledSource");
    LOG_EVENT_CLEAR();
    CFRunLoopSourceSignal(AddSource0("source", 0, DEFAULT, ^{
        dispatch_async(&_dispatch_main_q, ^{ LOG("inner"); });
        Run(DEFAULT, 5, true);
    }));
    Run(DEFAULT, 5, true);
    CHECK_LOG("source\ninner\nHandledSource\nHandledSource");
}

TEST(contract_what_makes_a_mode,
     "PerformBlock and _CFRunLoopStopMode create the mode that they name; AddCommonMode alone, a query and a removal do not") {
    CFRunLoopSourceRef source = MakeSource0("source", 0, NULL);
    CFRunLoopAddCommonMode(LOOP, CFSTR("declared"));
    CFRunLoopContainsSource(LOOP, source, CFSTR("asked"));
    CFRunLoopRemoveSource(LOOP, source, CFSTR("removed"));
    CFRunLoopGetNextTimerFireDate(LOOP, CFSTR("asked"));
    CFRunLoopRunInMode(CFSTR("run"), 0, false);
    LogModes(LOOP);
    CFRunLoopPerformBlock(LOOP, A, ^{});
    _CFRunLoopStopMode(LOOP, B);
    LogModes(LOOP);
    CFRunLoopAddSource(LOOP, source, COMMON); // now the declared mode gets an item
    LogModes(LOOP);
    CHECK_LOG("modes: DefaultMode\nmodes: A B DefaultMode\nmodes: A B DefaultMode declared");
}
