/// Heap.h: a bare binary heap of dates, in which each timer knows its place: the least that a timer can cost.
#if !defined(__BENCH_HEAP__)
#define __BENCH_HEAP__ 1

#include <stdint.h>

typedef struct {
    uint64_t date;
    long place;
    void (*fire)(void *info);
    void *info;
} HeapTimer;

typedef struct {
    HeapTimer **timers; // a heap with the earliest timer first
    long count, capacity;
} Heap;

void HeapAdd(Heap *heap, HeapTimer *timer);
void HeapMove(Heap *heap, HeapTimer *timer, uint64_t date);
void HeapRemove(Heap *heap, HeapTimer *timer);

#endif
