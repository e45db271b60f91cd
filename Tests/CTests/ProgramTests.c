/// ProgramTests.c: programs as text (Documentation/Reference/programs.md) on the real run loop. SimulationTests.c performs the same ones on the
/// simulated kernel.
#include "CTests.h"
#include "Programs.h"
#include <CoreFoundation/CoreFoundation.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../../Sources/Support/CRunLoopModel/LoopProgram.c"
#include "../../Sources/Support/CRunLoopSimulated/PerformProgram.c"

static void checkOnLinux(int number) {
    LoopProgram *program = calloc(1, sizeof *program);
    CHECK(loopProgramRead(program, programsOfBothKernels[number].text));
    char *log;
    size_t length;
    FILE *out = open_memstream(&log, &length);
    performReally(program, out);
    fclose(out);
    removeTimes(log);
    CHECK_EQ_STR(log, programsOfBothKernels[number].log);
    free(log);
    free(program);
}

TEST(program_of_items_on_linux, "A program of sources, a port, blocks and the main queue has the same log on Linux as on the simulated kernel") { checkOnLinux(0); }

TEST(program_of_runs_on_linux, "A program of nested runs, stops and modes has the same log on Linux as on the simulated kernel") { checkOnLinux(1); }

TEST(program_of_threads_on_linux, "A program of two threads and their loops has the same log on Linux as on the simulated kernel") { checkOnLinux(2); }

/// Checks the message about a text.
static void checkError(const char *text, const char *error) {
    LoopProgram *program = calloc(1, sizeof *program);
    CHECK(!loopProgramRead(program, text));
    CHECK_EQ_STR(program->error, error);
    free(program);
}

TEST(program_errors_have_a_place, "If the text of a program is wrong, the message has the line, the column and what was expected") {
    checkError("run default\nsignal X\n", "line 2, column 8: expected a source, found \"X\"");
    checkError("timer T evry 1s", "line 1, column 9: expected at, in or every, found \"evry\"");
    checkError("timer T every 1", "line 1, column 15: expected a time such as 2.5s or 300ms, found \"1\"");
    checkError("source S in default\n\n  add S", "line 3, column 3: expected a line that is not indented, because no place with \":\" is above it, found \"add\"");
    checkError("source S\nsource S", "line 2, column 8: expected a name that no other item has, found \"S\"");
    checkError("source S\nadd S to", "line 2, column 9: expected a mode, found the line's end");
    checkError("port P\nsignal P", "line 2, column 8: expected a source, found \"P\"");
    checkError("say \"no end", "line 1, column 5: expected a text in quotation marks, of at most 61 bytes, found \"\"no end\"");
    checkError("at 1s run default", "line 1, column 7: expected an action that does not wait, because this thread has no loop in the program, found \"run\"");
    checkError("observer O of Sleeping", "line 1, column 15: expected an activity, such as BeforeWaiting, or everything, found \"Sleeping\"");
    checkError("run default and", "line 1, column 16: expected an action, such as run, add, signal or say, found the line's end");
    checkError("run default now", "line 1, column 13: expected the line's end, or \"and\", found \"now\"");
}

TEST(program_limits_are_said, "A program that is too large is refused with words") {
    char *text = calloc(1, 20000);
    for (int i = 0; i < 600; i++) strcat(text, "wake\n");
    checkError(text, "line 513, column 5: expected at most 512 actions, found the line's end");
    text[0] = 0;
    for (int i = 0; i < 40; i++) sprintf(text + strlen(text), "source S%d\n", i);
    checkError(text, "line 33, column 8: expected at most 32 items, found \"S32\"");
    free(text);
}
