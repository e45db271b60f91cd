/// ArticleLoop.h: what the articles' loops run: a mode with real sources, timers and observers.
#if !defined(ARTICLELOOP_H)
#define ARTICLELOOP_H 1

#include "CArticles.h"

#include <pthread.h>

/// The kinds of callbacks of a program.
typedef enum { kItemSource0, kItemSource1, kItemTimer, kItemBlock, kItemObserver } ItemKind;

/// A callback of a program. `info` of the CoreFoundation object that has it.
typedef struct Item {
    ItemKind kind;
    const char *name;
    void (*perform)(void);
    /// Whether a Source0 is signaled. No public call clears the bit of a CFRunLoopSource.
    Boolean isSignaled;
    /// The descriptor of a Source1.
    int port;
    /// The next block in the loop's queue.
    struct Item *next;
} Item;

/// What stands for CFRunLoopModeRef in the listings.
typedef struct {
    CFMutableArrayRef sources0, sources1, timers, observers;
} ArticleMode;

/// What stands for CFRunLoopRef in the listings: one loop with one mode.
typedef struct {
    ArticleMode mode;
    Item *blocks;          // _blocks_head
    Boolean isStopped;     // CFRunLoopStop was called
    int wakeUpPort;        // an eventfd
    int dispatchPort;      // of the main queue, or -1
} ArticleLoop;

/// Runs the loop once, as the listing does.
CF_EXPORT int ArticleRunSpecific1(ArticleLoop *rl, CFTimeInterval seconds, Boolean stopAfterHandle);
CF_EXPORT int ArticleRunSpecificCured(ArticleLoop *rl, CFTimeInterval seconds,
                                      Boolean stopAfterHandle);

// ArticleLoopCalls.c: the functions that the listings call.

/// What ended a wait: livePort, msg_is_timer and msg_is_dispatch of the listings.
typedef enum {
    kLiveNothing, kLiveWakeUp, kLiveTimer, kLiveDispatch, kLiveSource1
} Live;

CF_EXPORT int ArticleStepOf(CFOptionFlags activity);
CF_EXPORT void ArticleDoObservers(ArticleLoop *rl, CFRunLoopActivity activity);
CF_EXPORT void ArticleDoBlocks(ArticleLoop *rl, int step);
CF_EXPORT Boolean ArticleDoSources0(ArticleLoop *rl, Boolean stopAfterHandle);
CF_EXPORT void ArticleDoTimers(ArticleLoop *rl);
CF_EXPORT Boolean ArticleDoSource1(ArticleLoop *rl, CFRunLoopSourceRef source);
CF_EXPORT CFRunLoopSourceRef ArticleFindSource(ArticleLoop *rl, int livePort);
CF_EXPORT void ArticleServiceMainQueue(ArticleLoop *rl);
/// Waits for the main queue alone, without sleeping (`seconds` 0), or for all ports of the mode and
/// its timers, for `seconds` at most. Stores the port in `livePort`.
CF_EXPORT Live ArticleServicePort(ArticleLoop *rl, Boolean isForMainQueue, CFTimeInterval seconds,
                                  int *livePort);
/// Whether the mode has no item. `countsObservers` is as in the listing.
CF_EXPORT Boolean ArticleModeIsEmpty(ArticleLoop *rl, Boolean countsObservers);
CF_EXPORT void ArticleStop(ArticleLoop *rl);

/// Adds an entry to the record of the program.
CF_EXPORT void ArticleRecord(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
