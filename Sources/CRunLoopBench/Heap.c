/// Heap.c: see Heap.h.
#include "Heap.h"
#include <stdlib.h>

static void put(Heap *heap, HeapTimer *timer, long place) {
    heap->timers[place] = timer;
    timer->place = place;
}

/// Moves a timer from a hole to its place.
static void rise(Heap *heap, HeapTimer *timer, long hole) {
    while (hole > 0 && timer->date < heap->timers[(hole - 1) / 2]->date) {
        put(heap, heap->timers[(hole - 1) / 2], hole);
        hole = (hole - 1) / 2;
    }
    put(heap, timer, hole);
}

static void sink(Heap *heap, HeapTimer *timer, long hole) {
    for (;;) {
        long child = 2 * hole + 1;
        if (child + 1 < heap->count && heap->timers[child + 1]->date < heap->timers[child]->date) child++;
        if (child >= heap->count || heap->timers[child]->date >= timer->date) break;
        put(heap, heap->timers[child], hole);
        hole = child;
    }
    put(heap, timer, hole);
}

static void settle(Heap *heap, HeapTimer *timer, long hole) {
    if (hole > 0 && timer->date < heap->timers[(hole - 1) / 2]->date) rise(heap, timer, hole);
    else sink(heap, timer, hole);
}

void HeapAdd(Heap *heap, HeapTimer *timer) {
    if (heap->count == heap->capacity) {
        heap->capacity = heap->capacity ? 2 * heap->capacity : 16;
        heap->timers = realloc(heap->timers, (size_t)heap->capacity * sizeof(HeapTimer *));
    }
    rise(heap, timer, heap->count++);
}

void HeapMove(Heap *heap, HeapTimer *timer, uint64_t date) {
    timer->date = date;
    settle(heap, timer, timer->place);
}

void HeapRemove(Heap *heap, HeapTimer *timer) {
    HeapTimer *last = heap->timers[--heap->count];
    if (last != timer) settle(heap, last, timer->place);
    timer->place = -1;
}
