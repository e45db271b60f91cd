/// BaseTests.c: what all objects have in common, and time, thread-specific data, the main thread and locks.
#include "CTests.h"
#include "Fakes.h"
#include "LoopSupport.h"
#include <CoreFoundation/CoreFoundation.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include "../../Sources/CRunLoop/Base/CFInternal.h"
#include <CoreFoundation/ForSwiftFoundationOnly.h>

// MARK: - Helpers

static int finalized;
static CFTypeRef watched;      // the object that the finalizer below uses
static CFIndex countInRelease; // the retain count that it saw

static void count(void) {
    finalized++;
}

static void checkDescription(CFTypeRef object, const char *prefix, const char *suffix) {
    char *text = DescriptionOf(object);
    if (strncmp(text, prefix, strlen(prefix)) != 0) FAIL("%s does not begin with %s", text, prefix);
    size_t length = strlen(text), tail = strlen(suffix);
    if (length < tail || strcmp(text + length - tail, suffix) != 0) FAIL("%s does not end with %s", text, suffix);
    free(text);
}

// MARK: - Retain and release

TEST(CFRetain_counts_references, "An object is deallocated with its last reference and not before") {
    CFTypeRef object = MakeTellingObject(count);
    CHECK_EQ_PTR(CFRetain(object), object);
    CHECK_EQ_INT(CFGetRetainCount(object), 2);
    CFRelease(object);
    CHECK_EQ_INT(CFGetRetainCount(object), 1);
    CHECK_EQ_INT(finalized, 0);
    CFRelease(object);
    CHECK_EQ_INT(finalized, 1);
}

TEST(CFRetain_does_nothing_to_constants, "A constant is never deallocated, no matter how often it is released") {
    CFStringRef constant = CFSTR("constant");
    for (int i = 0; i < 10; i++) CFRelease(constant);
    CHECK_EQ_PTR(CFRetain(constant), constant);
    CHECK_EQ_INT(CFGetRetainCount(constant), LONG_MAX);
    CFRelease(kCFAllocatorSystemDefault);
    CHECK_EQ_INT(CFGetTypeID(kCFAllocatorSystemDefault), CFAllocatorGetTypeID());
}

static void retainAndReleaseWatched(void) {
    CFRetain(watched);
    countInRelease = CFGetRetainCount(watched);
    CFRelease(watched);
    finalized++;
}

TEST(CFRelease_finalizes_once, "An object retained and released by its own finalizer is finalized once and freed once") {
    watched = MakeTellingObject(retainAndReleaseWatched);
    CFRelease(watched);
    CHECK_EQ_INT(finalized, 1);
    CHECK_EQ_INT(countInRelease, 2);
}

static void retainWatched(void) {
    CFRetain(watched);
    finalized++;
}

TEST(CFRelease_keeps_memory_of_resurrected, "An object that its finalizer retains keeps its memory until that reference is released") {
    watched = MakeTellingObject(retainWatched);
    CFRelease(watched);
    CHECK_EQ_INT(CFGetTypeID(watched), CFArrayGetTypeID()); // a sanitizer would notice if it was freed
    CFRelease(watched);
    CHECK_EQ_INT(finalized, 1);
}

TEST(CFRetain_is_atomic, "Threads that retain and release at the same time leave the count unchanged") {
    enum { threads = 4, rounds = 300000 };
    CFArrayRef array = CFArrayCreate(NULL, NULL, 0, NULL);
    pthread_barrier_t barrier, *gate = &barrier;
    pthread_barrier_init(gate, NULL, threads);
    pthread_t ids[threads];
    for (int i = 0; i < threads; i++) {
        ids[i] = StartThread(^{
            cpu_set_t processor;
            CPU_ZERO(&processor);
            CPU_SET(i % 2, &processor);
            sched_setaffinity(0, sizeof processor, &processor); // a busy machine may run all threads on one processor, one after another
            for (int round = 0; round < rounds; round++) {
                if (round % 1000 == 0) pthread_barrier_wait(gate); // so that they run at the same time
                CFRetain(array);
                CFRelease(array);
            }
        });
    }
    for (int i = 0; i < threads; i++) JoinThread(ids[i]);
    pthread_barrier_destroy(gate);
    CHECK_EQ_INT(CFGetRetainCount(array), 1);
    CFRelease(array);
}

// MARK: - Misuse

TEST(CF_functions_halt_on_NULL, "NULL instead of an object aborts with the function's name") {
    CFTypeRef nothing = NULL;
    CHECK_HALTS("CFRetain was given NULL", CFRetain(nothing));
    CHECK_HALTS("CFRelease was given NULL", CFRelease(nothing));
    CHECK_HALTS("CFEqual was given NULL", CFEqual(CFSTR("text"), nothing));
    CHECK_HALTS("CFHash was given NULL", CFHash(nothing));
    CHECK_HALTS("CFGetTypeID was given NULL", CFGetTypeID(nothing));
    CHECK_HALTS("CFGetRetainCount was given NULL", CFGetRetainCount(nothing));
    CHECK_EQ_PTR(CFCopyDescription(nothing), NULL);
    CHECK_EQ_PTR(CFGetAllocator(nothing), kCFAllocatorSystemDefault);
}

TEST(CFLock_lets_one_thread_in, "Several threads take a lock: only one has it at a time, each of them gets it, and errno does not change") {
    enum { threads = 4, rounds = 20000 };
    static CFLock_t lock = CF_LOCK_INITIALIZER;
    static long count; // no atomic variable: the lock guards it
    pthread_t ids[threads];
    for (int i = 0; i < threads; i++) {
        ids[i] = StartThread(^{
            errno = ENOTTY;
            for (int round = 0; round < rounds; round++) {
                __CFLock(&lock);
                count++;
                if (round % 100 == 0) sched_yield(); // so that the others find the lock held and wait
                __CFUnlock(&lock);
            }
            CHECK_EQ_INT(errno, ENOTTY);
        });
    }
    for (int i = 0; i < threads; i++) JoinThread(ids[i]);
    CHECK_EQ_INT(count, (long)threads * rounds);
    CHECK_EQ_INT(pthread_mutex_trylock(&lock), 0);
}

#if defined(CF_CHECK_LOCKS)
TEST(CFLock_checks_in_debug,
     "Taking a lock twice, or unlocking it without holding it, aborts, also if the lock is initialized when the program is compiled") {
    static CFLock_t initialized = CF_LOCK_INITIALIZER;
    CFLock_t made;
    __CFLockInit(&made);
    CFLock_t *locks[] = {&initialized, &made};
    for (int i = 0; i < 2; i++) {
        CHECK_HALTS("already holds", { // both in the child: a child of fork is not the thread that holds its parent's locks
            __CFLock(locks[i]);
            __CFLock(locks[i]);
        });
        CHECK_HALTS("does not hold", __CFUnlock(locks[i]));
        __CFLock(locks[i]);
        __CFUnlock(locks[i]);
        CHECK_HALTS("does not hold", __CFUnlock(locks[i]));
    }
}
#endif

// MARK: - Very many references

static int finalized;
static void noteFinalized(const void *info) { finalized++; }

/// An object that logs its end, with the given number of references.
static CFTypeRef objectWithReferences(uint32_t count) {
    CFRunLoopSourceContext context = {.release = noteFinalized};
    CFRunLoopSourceRef object = CFRunLoopSourceCreate(NULL, 0, &context);
    atomic_store(&((CFRuntimeBase *)object)->_rc, count);
    return object;
}

// The defect: at 2^31 references the count had the value that marks an object being finalized, so one release freed the object's memory.
TEST(CFRetain_pins_an_object_with_too_many_references,
     "An object that is retained without end is never freed, whatever is released afterwards, and one message says so") {
    static CFTypeRef object; // static, so that a leak check finds it
    object = objectWithReferences(0x0FFFFFFE);
    StderrCapture();
    CFRetain(object);
    CFRetain(object);
    CHECK_EQ_INT(CFGetRetainCount(object), 0x10000000);
    CFRetain(object);
    for (int i = 0; i < 1000; i++) CFRetain(object);
    CHECK_EQ_PTR(_CFTryRetain(object), object);
    const char *text = StderrEndCapture();
    CHECK_EQ_INT(Occurrences(text, "the CFRunLoopSource 0x"), 1);
    CHECK_EQ_INT(Occurrences(text, "will never be freed"), 1);
    CHECK_EQ_INT(CFGetRetainCount(object), LONG_MAX);
    uint32_t before = atomic_load(&((CFRuntimeBase *)object)->_rc);
    for (int i = 0; i < 5000; i++) CFRelease(object);
    CHECK_EQ_INT(atomic_load(&((CFRuntimeBase *)object)->_rc), before);
    CHECK_EQ_INT(finalized, 0);
}

TEST(CFRelease_counts_exactly_up_to_there, "An object with 2^28 references is finalized when all of them are released") {
    CFTypeRef object = objectWithReferences(0x10000000);
    CFRelease(object);
    CHECK_EQ_INT(CFGetRetainCount(object), 0x0FFFFFFF);
    atomic_store(&((CFRuntimeBase *)object)->_rc, 1);
    CFRelease(object);
    CHECK_EQ_INT(finalized, 1);
}

// MARK: - Equality, types, descriptions

TEST(CFEqual_compares_by_type, "Objects of different types are never equal, whichever of them comes first") {
    CFArrayRef nothing = CFArrayCreate(NULL, NULL, 0, NULL);
    CHECK(!CFEqual(CFSTR(""), nothing) && !CFEqual(nothing, CFSTR("")));
    CFRelease(nothing);
}

TEST(CFCopyTypeIDDescription_names_types, "Each type has a name, and a number that is no type has none") {
    CFStringRef name = CFCopyTypeIDDescription(CFArrayGetTypeID());
    CHECK(CFEqual(name, CFSTR("CFArray")));
    CFRelease(name);
    CHECK_EQ_PTR(CFCopyTypeIDDescription(0), NULL);
    CHECK_EQ_PTR(CFCopyTypeIDDescription(999999), NULL);
}

TEST(CFCopyDescription_shows_type_and_contents, "A description shows type, address, allocator and contents") {
    checkDescription(CFSTR("hi"), "<CFString 0x", "{contents = \"hi\"}");
    checkDescription(kCFAllocatorSystemDefault, "<CFAllocator 0x", "]>");
}

TEST(CFShow_prints_on_stderr, "CFShow prints strings as they are, escapes what is not ASCII, and survives NULL") {
    CHECK_HALTS("(null)\nline \"one\"\nh\\u00e9\\ud83d\\ude00\n<CFAllocator 0x", {
        CFShow(NULL);
        CFShow(CFSTR("line \"one\""));
        CFShow(CFSTR("h\xC3\xA9\xF0\x9F\x98\x80"));
        CFShow(kCFAllocatorSystemDefault);
        abort();
    });
}

TEST(CFAllocator_is_one, "There is one allocator, and every object is its") {
    CHECK_EQ_PTR(kCFAllocatorDefault, NULL);
    CHECK_EQ_PTR(CFAllocatorGetDefault(), kCFAllocatorSystemDefault);
    CHECK_EQ_PTR(CFGetAllocator(LOOP), kCFAllocatorSystemDefault);
    CHECK_EQ_INT(CFGetTypeID(kCFAllocatorSystemDefault), CFAllocatorGetTypeID());
}

// MARK: - Time

TEST(CFAbsoluteTime_counts_from_2001, "CFAbsoluteTimeGetCurrent is the wall clock, counted from 2001") {
    CHECK_EQ_DOUBLE(CFAbsoluteTimeGetCurrent() + kCFAbsoluteTimeIntervalSince1970, (double)time(NULL), 2.0);
}

TEST(D1_TSR_units_are_nanoseconds,
     "Seconds become nanoseconds; an invalid time becomes 0, and a time that does not fit becomes the greatest time") {
    CHECK_EQ_INT(__CFTimeIntervalToTSR(1.5), 1500000000);
    CHECK_EQ_INT(__CFTimeIntervalToTSR(1.9e-9), 1);
    CHECK_EQ_INT(__CFTimeIntervalToTSR(0.0), 0);
    CHECK_EQ_INT(__CFTimeIntervalToTSR(-1.0), 0);
    CHECK_EQ_INT(__CFTimeIntervalToTSR(NAN), 0);
    CHECK(__CFTimeIntervalToTSR(1e30) == UINT64_MAX);
    CHECK(__CFTimeIntervalToTSR(INFINITY) == UINT64_MAX);
    CHECK_EQ_DOUBLE(__CFTSRToTimeInterval(2500000000), 2.5, 0.0);
    CHECK(__CFTimeIntervalUntilTSR(0) < 0.0);
    CHECK_EQ_DOUBLE(__CFTimeIntervalUntilTSR(mach_absolute_time() + 1000000000), 1.0, 0.5);
}

// MARK: - Thread-specific data

enum { slotA = 3, slotB = 4 };
static int rounds;
static pthread_key_t othersKey;

static void askForAnotherRound(void *value) {
    rounds++;
    CHECK_EQ_PTR(_CFGetTSD(slotA), NULL);
    if ((intptr_t)value > 1) _CFSetTSD(slotA, (void *)((intptr_t)value - 1), askForAnotherRound);
}

static void fillSlotA(void *value) {
    CHECK_EQ_PTR(_CFSetTSD(slotA, value, askForAnotherRound), NULL);
    CHECK_EQ_PTR(_CFGetTSD(slotA), value);
}

TEST(CFTSD_destructor_may_ask_again, "A destructor that fills its slot again is called in the next round") {
    OnNewThread(^{ fillSlotA((void *)3); });
    CHECK_EQ_INT(rounds, 3);
    if (UNDER_THREAD_SANITIZER) SKIP("ThreadSanitizer: no code built with it may run in the last round of destructors of thread data");
    rounds = 0;
    OnNewThread(^{ fillSlotA((void *)4); }); // as many rounds as pthread makes
    CHECK_EQ_INT(rounds, 4);
}

static void askForAnotherRoundInTheFirstSlot(void *value) {
    rounds++;
    if ((intptr_t)value > 1) _CFSetTSD(0, (void *)((intptr_t)value - 1), askForAnotherRoundInTheFirstSlot);
}

TEST(CFTSD_a_destructor_that_asks_in_the_last_round_is_called_at_once,
     "A destructor that fills its slot again after pthread's last round is called again at once, also in the first slot") {
    if (UNDER_THREAD_SANITIZER) SKIP("ThreadSanitizer: no code built with it may run in the last round of destructors of thread data");
    OnNewThread(^{ _CFSetTSD(0, (void *)6, askForAnotherRoundInTheFirstSlot); });
    CHECK_EQ_INT(rounds, 6);
}

TEST(CFTSD_a_destructor_that_asks_forever_is_left,
     "A destructor that always fills its slot again is called in each of pthread's rounds, and as often after the last") {
    if (UNDER_THREAD_SANITIZER) SKIP("ThreadSanitizer: no code built with it may run in the last round of destructors of thread data");
    OnNewThread(^{ _CFSetTSD(0, (void *)1000, askForAnotherRoundInTheFirstSlot); });
    CHECK_EQ_INT(rounds, 2 * PTHREAD_DESTRUCTOR_ITERATIONS);
}

static void useSlotsLate(void *round) {
    CHECK_EQ_PTR(_CFGetTSD(slotB), (void *)0xB);
    if ((intptr_t)round == 3) _CFSetTSD(slotA, (void *)3, askForAnotherRound);
    if ((intptr_t)round < 4) pthread_setspecific(othersKey, (void *)((intptr_t)round + 1));
}

TEST(D5_slots_work_to_the_very_end,
     "Another key's destructor may use the slots in any round, and the values that it stores there are still destroyed") {
    if (UNDER_THREAD_SANITIZER) SKIP("ThreadSanitizer: no code built with it may run in the last round of destructors of thread data");
    OnNewThread(^{
        _CFSetTSD(slotB, (void *)0xB, NULL);
        pthread_key_create(&othersKey, useSlotsLate); // after the table's key, so its destructor runs after ours in each round
        pthread_setspecific(othersKey, (void *)1);
    });
    CHECK_EQ_INT(rounds, 3); // all at once, in the last round
}

static int roundsCounted;

static void countRounds(void *key) {
    roundsCounted = __CFTSDRounds;
    pthread_setspecific(othersKey, key);
}

TEST(CFTSD_leaves_out_the_last_round, "The table is emptied in one destructor round less than pthread makes, unless something is left in it") {
    if (UNDER_THREAD_SANITIZER) SKIP("ThreadSanitizer: no code built with it may run in the last round of destructors of thread data");
    OnNewThread(^{
        _CFSetTSD(slotB, (void *)0xB, NULL);
        pthread_key_create(&othersKey, countRounds);
        pthread_setspecific(othersKey, &othersKey);
    });
    CHECK_EQ_INT(roundsCounted, PTHREAD_DESTRUCTOR_ITERATIONS - 1);
}

TEST(CFTSD_has_bounds, "Filling a slot that does not exist aborts; reading it gives NULL") {
    CHECK_EQ_PTR(_CFGetTSD(CF_TSD_MAX_SLOTS), NULL);
    CHECK_HALTS("no slot 12", _CFSetTSD(CF_TSD_MAX_SLOTS, (void *)1, NULL));
}

// MARK: - The main thread

TEST(pthread_main_np_knows_the_main_thread, "pthread_main_np is true on the first thread; in a child of fork, on the thread that forked") {
    CHECK_EQ_INT(pthread_main_np(), 1);
    CHECK(pthread_equal(pthread_main_thread_np(), pthread_self()));
    OnNewThread(^{
        CHECK_EQ_INT(pthread_main_np(), 0);
        pid_t child = fork();
        if (child == 0) _exit(pthread_main_np() == 1 && pthread_equal(pthread_main_thread_np(), pthread_self()) ? 0 : 1);
        CHECK_EQ_INT(StatusOf(child), 0);
    });
}
