/// Recorder.h: what the copies of the loop's sources call that instrument.py makes. Page.c defines
/// the functions.
#if !defined(PAGE_RECORDER)
#define PAGE_RECORDER 1

#include <stdint.h>

/// A call of one of the loop's functions. Calls are numbered, like statements, by instrument.py.
struct PageFrame {
    struct PageFrame *outer;
    uint16_t function, statement; // the statement that it is at
};

void pageEnter(struct PageFrame *frame, uint32_t function);
void pageLeave(struct PageFrame *frame);
void __CFPageAt(uint32_t statement);

#define __CFPageFrame(function) \
    struct PageFrame pageFrame __attribute__((cleanup(pageLeave))); \
    pageEnter(&pageFrame, function)

#endif
