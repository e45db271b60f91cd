/// Programs.h: programs in which every event is the cause of the next, so that they have the same log on the real kernel and on the simulated
/// one, but for the times.
#if !defined(PROGRAMS_H)
#define PROGRAMS_H 1

#include <string.h>

/// Removes the times from a log.
static inline void removeTimes(char *log) {
    char *to = log;
    for (char *line = log, *next; *line; line = next) {
        next = strchr(line, '\n') + 1;
        line = strchr(line, ' ') + 1;
        memmove(to, line, (size_t)(next - line));
        to += next - line;
    }
    *to = 0;
}

static const struct {
    const char *text, *log;
} programsOfBothKernels[] = {
    {"source S order 2 in default\n"
     "source R order 1 in default\n"
     "port P in common\n"
     "observer O of BeforeTimers, BeforeSources once in default\n"
     "block K in default\n"
     "when K runs: signal S and signal R and queue F\n"
     "when S performs: block L in default, other\n"
     "when L runs:\n"
     "    say \"in L\"\n"
     "    is S in default and is S in other and how is O and which mode\n"
     "when F runs: send P and invalidate S\n"
     "when P performs: stop\n"
     "run default\n"
     "how is S and which modes\n",
     "main   O BeforeTimers\n"
     "main   K runs\n"
     "main   R performs\n"
     "main   S performs\n"
     "main   L runs\n"
     "main     in L\n"
     "main     S is in default\n"
     "main     S is not in other\n"
     "main     O is invalid\n"
     "main     runs in default\n"
     "main   F runs\n"
     "main   P performs\n"
     "main run default: Stopped\n"
     "main S is invalid\n"
     "main has the mode default\n"
     "main has the mode other\n"},
    {"timer T at 0s in default\n"
     "source S in common, modal\n"
     "when T fires:\n"
     "    elsewhere signal S\n"
     "    run modal for 100s until a source\n"
     "    stop\n"
     "when S performs: stop\n"
     "in wait 2: signal S and wake\n"
     "run default for 100s\n"
     "declare modal common\n"
     "source U in common\n"
     "is U in modal and is modal finished and next timer of default\n"
     "run empty for 100s\n"
     "run modal once\n"
     "run modal for 100s until a source\n",
     "main   T fires\n"
     "main       S performs\n"
     "main     run modal: HandledSource\n"
     "main run default: Stopped\n"
     "main U is in modal\n"
     "main modal is not finished\n"
     "main default has no timer\n"
     "main run empty: Finished\n"
     "main run modal: TimedOut\n"
     "main   S performs\n"
     "main run modal: HandledSource\n"},
    {"source M in default\n"
     "thread B:\n"
     "    source S in default\n"
     "    signal M and wake\n"
     "    run default until a source\n"
     "    say \"B says so\"\n"
     "    signal M and wake\n"
     "run default for 100s until a source\n"
     "signal S and wake\n"
     "run default for 100s until a source\n",
     "main   M performs\n"
     "main run default: HandledSource\n"
     "B   S performs\n"
     "B run default: HandledSource\n"
     "B B says so\n"
     "main   M performs\n"
     "main run default: HandledSource\n"},
};

#endif
