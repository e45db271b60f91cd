/// CArticles.h: two listings of the articles in C, made runnable. They are for reading and for the
/// programs 1.5 and 1.25 of RunLoopLab; the library does not use them.
///
/// The functions have other names than in the articles, because those names are the library's.
#if !defined(CARTICLES_H)
#define CARTICLES_H 1

#include <CoreFoundation/CoreFoundation.h>

CF_EXTERN_C_BEGIN

// MARK: - _CFRunLoopGet0: ArticleRegistry.c

/// The listing, and the listing without one of its two precautions.
typedef CF_ENUM(int32_t, ArticleGet0Form) {
    kArticleGet0AsListed,
    /// A thread that has created a loop does not look again whether the dictionary has one by now.
    kArticleGet0WithoutSecondLook,
    /// A thread releases the loop that it has created in vain while it holds the lock.
    kArticleGet0ReleasesInside
};

/// What all orders in which two threads can go through the listing came to.
typedef struct {
    /// How many orders there are.
    long orders;
    /// The orders after which the two threads had different loops for the same thread.
    long ordersWithTwoLoops;
    /// The orders after which the dictionary had another count of loops than there are threads.
    long ordersWithWrongCount;
    /// The temporary dictionaries, those that lost the compare-and-swap, and those released.
    long dictionaries, lostDictionaries, releasedDictionaries;
    /// The loops created; those that another thread's loop came before; and those deallocated.
    long loops, lostLoops, deallocatedLoops;
    /// The loops that were deallocated more than once.
    long deallocatedTwice;
    /// How often a thread waited for the lock that it held itself. The spin lock would spin for
    /// ever; the copy goes on.
    long ownLocks;
} ArticleGet0Result;

/// Lets two threads go through the listing in every order of their steps.
///
/// If `isOneKey` is true, both ask for the loop of the first thread; otherwise each asks for its
/// own. Call it on one thread at a time.
CF_EXPORT ArticleGet0Result ArticleGet0InEveryOrder(ArticleGet0Form form, Boolean isOneKey);

// MARK: - CHECK_FOR_FORK: ArticleFork.c

/// Forks. The child asks for its loop, as the parent has done before. Returns the signal that ended
/// the child, 0 if none did, or -1 if the system cannot fork.
CF_EXPORT int ArticleSignalOfForkedChild(void);

// MARK: - __CFRunLoopRun: ArticleLoop.c

/// The loops that run a program.
typedef CF_ENUM(int32_t, ArticleLoopForm) {
    /// The library's loop.
    kArticleLoopReal,
    /// The simplified loop of article 1 (1.25).
    kArticleLoop1,
    /// The loop of article 1, corrected.
    kArticleLoopCured
};

/// Returns whether the program needs the main queue. Then it must be run on the main thread;
/// otherwise on another thread, whose loop is empty.
CF_EXPORT Boolean ArticleLoopProgramIsForMainThread(int program);

/// Runs a program on the calling thread, and writes what the loop did into `text`.
///
/// `1 2 3 6 7 8 9.1:tick 10 =Stopped`: activities by their step, `7` when the thread waits,
/// callbacks with their step and name, and the result of the run. Returns false if the library's
/// loop is to be recorded and another trace is on.
CF_EXPORT Boolean ArticleLoopRun(int program, ArticleLoopForm form, char *text, size_t size);

CF_EXTERN_C_END

#endif
