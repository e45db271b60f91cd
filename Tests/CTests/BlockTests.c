/// BlockTests.c: blocks that are queued in a loop (X7): their memory, and those that are left or copied meanwhile. In which modes they run, at which
/// points of a pass, and in which order, is in Programs/Cases/Passes.txt.
#include "LoopSupport.h"
#include <malloc.h>
#include <setjmp.h>

/// Queues a block that logs `name`.
static void queue(CFTypeRef mode, const char *name) {
    CFRunLoopPerformBlock(LOOP, mode, ^{ LOG("%s", name); });
}

// MARK: - Modes

/// Whether a pass in the mode, with the locks that it has then, performs a block.
static bool performsBlocks(CFStringRef name) {
    CFRunLoopModeRef mode = ModeNamed(LOOP, name);
    __CFRunLoopLock(LOOP);
    __CFRunLoopModeLock(mode);
    bool did = __CFRunLoopDoBlocks(LOOP, mode);
    __CFRunLoopModeUnlock(mode);
    __CFRunLoopUnlock(LOOP);
    return did;
}

TEST(X7_a_pass_knows_whether_it_has_performed_blocks, "DoBlocks says whether there was a block for the mode, although no caller asks, as in the original") {
    queue(A, "block");
    queue(B, "other");
    Run(B, 0, false);
    CHECK(!performsBlocks(B));
    CHECK(performsBlocks(A));
    CHECK(!performsBlocks(A));
    queue(B, "last");
    CHECK(!performsBlocks(A));
    CHECK(performsBlocks(B));
    CHECK_LOG("other\nTimedOut\nblock\nlast");
}

// MARK: - Memory

extern void *_Block_copy(const void *block);
extern void _Block_release(const void *block);

/// The word of flags of a block, which contains its reference count. It follows the pointer at the start of the block.
static int flagsOf(Body block) { return *(const int *)((const char *)block + sizeof(void *)); }

/// A block whose flags show its reference count. It captures a variable, because a block that captures nothing is a constant without a
/// reference count.
static Body makeHeld(void) {
    int number = 1;
    return (Body)_Block_copy((const void *)^{ LOG("held %d", number); });
}

/// Queues a block with large captures.
static void queueLarge(CFStringRef mode) {
    struct { char bytes[20000]; } large = {"large"};
    CFRunLoopPerformBlock(LOOP, mode, ^{ LOG("%s, %d", large.bytes, large.bytes[19999]); });
}

TEST(X7_blocks_of_all_kinds,
     "Blocks on the stack, on the heap or constant, without captures, with many captures or with an aligned one: each runs with what it "
     "captured, and a copy made while it runs outlives it") {
    typedef struct { _Alignas(16) char bytes[16]; } Aligned;
    __block Body again = NULL;
    __block int calls = 0;
    Body held = makeHeld();
    int alone = flagsOf(held);
    CFRunLoopPerformBlock(LOOP, A, ^{ LOG("constant"); });
    CFRunLoopPerformBlock(LOOP, A, held);
    CHECK(flagsOf(held) != alone);
    queueLarge(A);
    for (int i = 0; i < 2; i++) {
        Aligned aligned = {"aligned"};
        CFRunLoopPerformBlock(LOOP, A, ^{ LOG("%s %d", aligned.bytes, (int)((uintptr_t)&aligned % 16)); });
        CFRunLoopPerformBlock(LOOP, A, ^{ // copying the inner block copies the block that it captured
            calls += i + 1;
            again = (Body)_Block_copy((const void *)^{ LOG("again: %d calls, i = %d", calls, i); held(); });
        });
        Run(A, 0, false);
        again();
        _Block_release((const void *)again);
    }
    CHECK_LOG("constant\nheld 1\nlarge, 0\naligned 0\nTimedOut\nagain: 1 calls, i = 0\nheld 1\n"
              "aligned 0\nTimedOut\nagain: 3 calls, i = 1\nheld 1");
    CHECK_EQ_INT(flagsOf(held), alone);
    _Block_release((const void *)held);
}

TEST(X7_performed_blocks_leave_no_memory_behind,
     "After 100,000 blocks for two modes, queued in turn and performed one mode after the other, the loop keeps memory for only the next "
     "hundred or so; when its thread ends, it keeps none") {
    mallopt(M_ARENA_MAX, 1); // mallinfo2 counts only the main arena
    OnNewThread(^{ KeepAlive(LOOP, A); });
    size_t before = mallinfo2().uordblks;
    OnNewThread(^{
        static long calls; // static, because a __block variable counts at most 32,767 references and is never freed after that
        KeepAlive(LOOP, A);
        KeepAlive(LOOP, B);
        Run(A, 0, false);
        size_t empty = mallinfo2().uordblks;
        for (int i = 0; i < 100000; i++) CFRunLoopPerformBlock(LOOP, i % 2 ? A : B, ^{ calls++; });
        Run(A, 0, false);
        Run(B, 0, false);
        CHECK_EQ_INT(calls, 100000);
        CHECK_LE(mallinfo2().uordblks, empty + 16000);
    });
    CHECK_LE(mallinfo2().uordblks, before + 2000);
}

TEST(X7_a_block_for_no_mode_is_ignored, "A block for the mode NULL is not queued") {
    CFRunLoopPerformBlock(LOOP, NULL, ^{ FAIL("it was performed"); });
    CHECK_EQ_INT(Run(DEFAULT, 0, false), kCFRunLoopRunTimedOut);
}

TEST(X7_modes_that_are_no_strings_are_named,
     "An array or set of modes that contains something else aborts with its type, or says that there is a NULL. The defect: a crash without "
     "a word") {
    const void *values[] = {A, kCFAllocatorSystemDefault};
    CFArrayRef array = CFArrayCreate(NULL, values, 2, &kCFTypeArrayCallBacks), none = CFArrayCreate(NULL, (const void *[]){NULL}, 1, NULL);
    CFSetRef set = CFSetCreate(NULL, values, 2, &kCFTypeSetCallBacks);
    CHECK_HALTS("CFRunLoopPerformBlock was given a mode that is a CFAllocator", CFRunLoopPerformBlock(LOOP, array, ^{}));
    CHECK_HALTS("CFRunLoopPerformBlock was given a mode that is a CFAllocator", CFRunLoopPerformBlock(LOOP, set, ^{}));
    CHECK_HALTS("CFRunLoopPerformBlock was given NULL", CFRunLoopPerformBlock(LOOP, none, ^{}));
    CFRelease(array);
    CFRelease(none);
    CFRelease(set);
}

// MARK: - A block that does not return

static jmp_buf outside;

static void queueJump(CFStringRef mode) {
    IgnoreLeaksBegin();
    CFRunLoopPerformBlock(LOOP, mode, ^{ longjmp(outside, 1); });
    IgnoreLeaksEnd();
}

TEST(X7_blocks_behind_one_that_was_left_by_longjmp_are_lost,
     "A block leaves its run by longjmp: the blocks that the run had taken with it are lost, as in all versions, and later runs perform those "
     "that are queued since") {
    OnNewThread(^{
        KeepAlive(LOOP, A);
        queueJump(A);
        IgnoreLeaksBegin();
        queue(A, "behind it");
        IgnoreLeaksEnd();
        if (!setjmp(outside)) Run(A, 0, false);
        queue(A, "since");
        Run(A, 0, false);
        Run(A, 0, false);
    });
    CHECK_LOG("since\nTimedOut\nTimedOut");
}

// MARK: - While a block is copied

/// A block with its own copy function, as the compiler generates for a block that captures a C++ object.
struct slowBlock {
    const void *isa;
    int flags, reserved;
    void (*invoke)(struct slowBlock *block);
    const struct slowDescriptor { size_t reserved, size; void (*copy)(void *, const void *); void (*dispose)(const void *); } *descriptor;
};

static void logSlowBlock(struct slowBlock *block) { LOG("slow block"); }
static Body whileCopied; // what the copy function calls
static void copySlowBlock(void *to, const void *from) { whileCopied(); }
static void disposeSlowBlock(const void *block) { LOG("slow block disposed of"); }

extern void *_NSConcreteStackBlock[];

static void queueSlowBlock(CFRunLoopRef loop, CFTypeRef mode, Body during) {
    static const struct slowDescriptor descriptor = {0, sizeof(struct slowBlock), copySlowBlock, disposeSlowBlock};
    struct slowBlock block = {_NSConcreteStackBlock, 1 << 25, 0, logSlowBlock, &descriptor};
    whileCopied = during;
    CFRunLoopPerformBlock(loop, mode, (void (^)(void))(void *)&block);
}

// The defect: the pass found no block, so it cleared the mode's mark, and no later pass looked at the list again.
TEST(X7_a_block_copied_while_a_pass_finds_none_is_performed,
     "While CFRunLoopPerformBlock copies a block, a pass finds no block for the mode: the block is performed by the next pass") {
    OnNewThread(^{
        KeepAlive(LOOP, A);
        queueSlowBlock(LOOP, A, ^{ Run(A, 0, false); });
        Run(A, 0, false);
        const void *names[] = {A, B};
        CFArrayRef modes = CFArrayCreate(NULL, names, 2, &kCFTypeArrayCallBacks);
        queueSlowBlock(LOOP, modes, ^{ Run(A, 0, false); });
        CFRelease(modes);
        Run(A, 0, false);
    });
    CHECK_LOG("TimedOut\nslow block\nslow block disposed of\nTimedOut\n"
              "TimedOut\nslow block\nslow block disposed of\nTimedOut");
}

/// A source's cancel callback, which runs the loop once more.
static void runInCancel(void *info, CFRunLoopRef loop, CFRunLoopMode mode) { CFRunLoopRunInMode(A, 0, false); }

// The defect: both threads used the list of blocks, unlocked, and the ending one crashed.
TEST(X7_a_block_copied_while_the_thread_ends_is_disposed_of,
     "While CFRunLoopPerformBlock copies a block, the loop's thread ends, and the source that it cancels runs the loop for the blocks that "
     "are left: these are performed, and the new block is disposed of once and not performed") {
    static _Atomic(CFRunLoopRef) loop;
    static _Atomic(bool) mayEnd;
    static int performed;
    pthread_t thread = StartThread(^{
        CFRunLoopSourceContext context = {.cancel = runInCancel};
        CFRunLoopSourceRef source = CFRunLoopSourceCreate(NULL, 0, &context);
        CFRunLoopAddSource(LOOP, source, A);
        CFRelease(source);
        for (int i = 0; i < 1000; i++) CFRunLoopPerformBlock(LOOP, A, ^{ performed++; });
        atomic_store(&loop, (CFRunLoopRef)CFRetain(LOOP));
        CHECK(WAIT_UNTIL(mayEnd, 10));
    });
    CHECK(WAIT_UNTIL(loop, 10));
    queueSlowBlock(loop, A, ^{
        mayEnd = true;
        JoinThread(thread);
    });
    CHECK_EQ_INT(performed, 1000);
    CHECK_LOG("slow block disposed of");
    CFRelease(loop);
}
