// CRunLoopTraceRing.c: see CRunLoopTraceRing.h.
//
// Any number of threads and signal handlers put events into the ring. One receiver at a time takes them out. Event number n is in
// place n % CRunLoopTraceCapacity. Each place has a count, `turn`: in lap k of the ring the place is free while `turn` is 2k, and
// filled while `turn` is 2k+1.
//
//     a thread with an event                    the receiver, while the next place is filled
//     1. takes the next number, if the place    1. copies the event
//        of that number is free in this lap     2. makes `turn` even again
//     2. fills the place                        3. calls the handler
//     3. makes `turn` odd
//
// No thread waits for another. If a thread is interrupted while it fills its place, only the receiver is held up, and it returns
// and checks again the next time. If the receiver is a whole lap behind, events are counted as lost.
//
// A thread may also never fill its place, because it is cancelled there (pthread_cancel), or leaves by siglongjmp from a signal
// handler. After a second the receiver abandons such a place. No thread uses it again, because the first thread may still write
// to it. The events of that place are lost.

#if !defined(__APPLE__) // where nothing uses this target

#define _GNU_SOURCE
#include "CRunLoopTraceRing.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

// A place in the ring: an event, and the turn at which the place may be filled or read.
struct Place {
    _Atomic(uint64_t) turn; // `abandoned` for an abandoned place
    CFRunLoopTraceEvent event;
};
static const uint64_t abandoned = UINT64_MAX;

static struct Place *_Atomic ring; // the first recording creates it; never freed, because a thread may be about to fill a place
static _Atomic(uint64_t) recorded; // the number of the next event to be recorded
static _Atomic(uint64_t) lost;

static pthread_mutex_t receiverLock = PTHREAD_MUTEX_INITIALIZER; // guards these:
static uint64_t received;              // the number of the next event to be received
static uint64_t first;                 // the number of the present recording's first event
static uint64_t heldUpAt = UINT64_MAX; // the number of the last place found unfilled
static struct timespec heldUpSince;    // when the receiver first found it unfilled

// MARK: - Recording

static struct Place *placeOf(uint64_t number) { return &atomic_load(&ring)[number % CRunLoopTraceCapacity]; }

// The value of `turn` while the place is free for the event of that number.
static uint64_t turnOf(uint64_t number) { return number / CRunLoopTraceCapacity * 2; }

// Returns a free place, which the caller must fill. Returns NULL if the ring is full, or if the place was abandoned.
static struct Place *takePlace(uint64_t *number) {
    *number = atomic_load(&recorded);
    for (;;) {
        struct Place *place = placeOf(*number);
        uint64_t turn = atomic_load(&place->turn), free = turnOf(*number);
        if (turn < free) return NULL; // it still holds the event of the lap before
        if (turn > free && turn != abandoned)
            *number = atomic_load(&recorded); // another thread was faster
        else if (atomic_compare_exchange_weak(&recorded, number, *number + 1))
            return turn == free ? place : NULL;
    }
}

// The library's hook.
static void record(const CFRunLoopTraceEvent *event) {
    uint64_t number;
    struct Place *place = takePlace(&number);
    if (!place) {
        atomic_fetch_add(&lost, 1);
        return;
    }
    place->event = *event;
    uint64_t free = turnOf(number);
    atomic_compare_exchange_strong(&place->turn, &free, free + 1); // fails if the receiver has abandoned the place
}

// MARK: - Receiving. The receiver's lock is held.

// Abandons the place of an event that has been waited for for a second. Returns false if it has not, or if the place has just
// been filled.
static bool abandon(struct Place *place, uint64_t number) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (heldUpAt != number) {
        heldUpAt = number;
        heldUpSince = now;
    }
    if (now.tv_sec - heldUpSince.tv_sec - (now.tv_nsec < heldUpSince.tv_nsec) < 1) return false;
    uint64_t free = turnOf(number);
    if (!atomic_compare_exchange_strong(&place->turn, &free, abandoned)) return false;
    if (number >= first) atomic_fetch_add(&lost, 1);
    return true;
}

// Copies the next event of the present recording, and frees its place for the next lap. Returns false if there is none, or if a
// thread is still filling it in.
static bool takeEvent(CFRunLoopTraceEvent *event) {
    while (atomic_load(&ring) && received < atomic_load(&recorded)) {
        uint64_t number = received, free = turnOf(number);
        struct Place *place = placeOf(number);
        uint64_t turn = atomic_load(&place->turn);
        if (turn == free && !abandon(place, number)) return false;
        received++;
        if (turn != free + 1) continue; // abandoned
        *event = place->event;
        atomic_store(&place->turn, free + 2);
        if (number >= first) return true; // older events belong to an earlier recording
    }
    return false;
}

CFIndex CRunLoopTraceReceive(CRunLoopTraceCallBack handler, void *info) {
    for (CFIndex count = 0; count < CRunLoopTraceCapacity; count++) {
        CFRunLoopTraceEvent event;
        pthread_mutex_lock(&receiverLock);
        bool taken = takeEvent(&event);
        pthread_mutex_unlock(&receiverLock);
        if (!taken) return count;
        if (handler) handler(&event, info);
    }
    return CRunLoopTraceCapacity;
}

uint64_t CRunLoopTraceGetLostCount(void) { return atomic_load(&lost); }

// MARK: - Beginning and end

Boolean CRunLoopTraceStart(void) {
    pthread_mutex_lock(&receiverLock);
    if (!atomic_load(&ring)) atomic_store(&ring, calloc(CRunLoopTraceCapacity, sizeof(struct Place)));
    bool starts = atomic_load(&ring) && CFRunLoopTraceReplaceHook(NULL, record);
    if (starts) {
        CFRunLoopTraceEvent forgotten;
        first = atomic_load(&recorded);
        // Frees the places of an earlier recording's events, and that of an event that is still being recorded.
        if (takeEvent(&forgotten)) first = received;
        atomic_store(&lost, 0);
    }
    pthread_mutex_unlock(&receiverLock);
    return starts;
}

void CRunLoopTraceStop(void) { CFRunLoopTraceReplaceHook(record, NULL); }

#endif
