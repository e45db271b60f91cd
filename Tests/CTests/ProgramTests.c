/// ProgramTests.c: how programs are read and written as text (Documentation/Reference/programs.md). SimulationTests.c performs them.
#include "CTests.h"
#include <CoreFoundation/CoreFoundation.h>
#include <stdlib.h>
#include <string.h>

#include "../../Programs/CRunLoopModel/LoopCases.h"
#include "../../Programs/CRunLoopModel/LoopProgram.c"

/// Checks the message about a text.
static void checkError(const char *text, const char *error) {
    LoopProgram *program = calloc(1, sizeof *program);
    CHECK(!loopProgramRead(program, text));
    CHECK_EQ_STR(program->error, error);
    free(program);
}

TEST(program_errors_have_a_place, "If the text of a program is wrong, the message has the line, the column and what was expected") {
    checkError("run default\nsignal X\n", "line 2, column 8: expected a source from a line above, found \"X\"");
    checkError("timer T evry 1s", "line 1, column 9: expected at, in or every, found \"evry\"");
    checkError("timer T every 1", "line 1, column 15: expected a time such as 2.5s or 300ms, found \"1\"");
    checkError("source S in default\n\n  add S", "line 3, column 3: expected a line that is not indented, because no place with \":\" is above it, found \"add\"");
    checkError("source S\nsource S", "line 2, column 8: expected a name that no other item has, found \"S\"");
    checkError("source S\nadd S to", "line 2, column 9: expected a mode, found the line's end");
    checkError("port P\nsignal P", "line 2, column 8: expected a source from a line above, found \"P\"");
    checkError("say \"no end", "line 1, column 5: expected a text in quotation marks, of at most 61 bytes, found \"\"no end\"");
    checkError("at 1s run default", "line 1, column 7: expected an action that does not wait, because this thread has no loop in the program, found \"run\"");
    checkError("observer O of Sleeping", "line 1, column 15: expected an activity, such as BeforeWaiting, or everything, found \"Sleeping\"");
    checkError("run default and", "line 1, column 16: expected an action, such as run, add, signal or say, found the line's end");
    checkError("run default now", "line 1, column 13: expected the line's end, or \"and\", found \"now\"");
    checkError("run default\r\nrun default\rnow", "line 2, column 12: expected the line's end, or \"and\", found \"\\x0d\"");
    checkError("say \"é\" 源", "line 1, column 9: expected the line's end, or \"and\", found \"源\"");
    checkError("source S源", "line 1, column 8: expected the item's name, found \"S源\"");
    checkError("源源源源源源源源源源源源源源源源源源源源源源源", "line 1, column 1: expected an action, such as run, add, signal or say, found \"源源源源源源源源源源源源源源源源源源源源…\"");
}

TEST(program_errors_name_what_stands_below, "An item or a thread stands above the lines that name it, and the message says so") {
    checkError("when S performs: say \"S\"\nsource S in default", "line 1, column 6: expected an item from a line above, or a block and \"runs\", found \"S\"");
    checkError("wake B\nthread B: run default", "line 1, column 6: expected a thread from a line above, found \"B\"");
    checkError("stop B in default", "line 1, column 6: expected a thread from a line above, found \"B\"");
    checkError("block K in default of B", "line 1, column 23: expected a thread from a line above, found \"B\"");
    checkError("add S to default", "line 1, column 5: expected an item from a line above, found \"S\"");
    checkError("is S in default", "line 1, column 4: expected an item from a line above, found \"S\"");
    checkError("is B waiting", "line 1, column 4: expected a thread from a line above, found \"B\"");
}

TEST(program_times_and_numbers_are_decimal, "A time has digits and a unit, an interval is longer than nothing, and a date may be in the past") {
    static const char *const times[] = {"-1s", "1e3s", "0x10s", "nans", "infs", ".5s", "2.s", "1.2.3s", "5", "5min", "s"};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        char text[64], error[128];
        snprintf(text, sizeof text, "run default for %s", times[i]);
        snprintf(error, sizeof error, "line 1, column 17: expected a time such as 2.5s or 300ms, found \"%s\"", times[i]);
        checkError(text, error);
    }
    checkError("timer T every -1s", "line 1, column 15: expected a time such as 2.5s or 300ms, found \"-1s\"");
    checkError("timer T every 0s", "line 1, column 15: expected a time of more than 0s, found \"0s\"");
    checkError("run default for 1000000000s", "line 1, column 17: expected a time of less than 1000000000s, found \"1000000000s\"");
    checkError("source S order 1e3", "line 1, column 16: expected a number, found \"1e3\"");
    checkError("in wait 0: wake", "line 1, column 9: expected the number of a wait, from 1 on, found \"0\"");
    LoopProgram *program = calloc(1, sizeof *program);
    CHECK(loopProgramRead(program, "timer T at -2.5s tolerance 20ms order -3\r\nset T to -3s\r\n"));
    CHECK(program->items[0].first == -2.5 && program->items[0].order == -3 && program->actions[0].seconds == -3);
    CHECK(program->items[0].tolerance == 0.02);
    free(program);
}

TEST(program_places_before_steps_have_numbers, "A place before a step or a wait has the numbers of step and pass, or of the wait, and its actions take no lock at a step") {
    checkError("before noon: wake", "line 1, column 8: expected wait or step, found \"noon\"");
    checkError("before wait 0: wake", "line 1, column 13: expected the number of a wait, from 1 on, found \"0\"");
    checkError("before step 10 of pass 1: wake", "line 1, column 13: expected a step of a pass, from 2 to 9, found \"10\"");
    checkError("before step 7: wake", "line 1, column 14: expected \"of\", found \":\"");
    checkError("before step 7 of pass 0: wake", "line 1, column 23: expected the number of a pass, from 1 on, found \"0\"");
    checkError("before step 7 of pass 1 of B: wake", "line 1, column 28: expected a thread from a line above, found \"B\"");
    checkError("before step 7 of pass 1: block K in default",
               "line 1, column 26: expected signal, send, wake, stop or say, because the loop's locks are held at a step, found \"block\"");
    checkError("before wait 1: spend 1s",
               "line 1, column 16: expected an action that does not wait, because this thread has no loop in the program, found \"spend\"");
    LoopProgram *program = calloc(1, sizeof *program);
    CHECK(loopProgramRead(program, "thread B:\n    run default\nbefore step 7 of pass 2 of B thread C wakes B\nbefore wait 3: wake\nin wait 1 thread D wakes"));
    const LoopPlace *places = program->places;
    CHECK(places[2].kind == beforeStep && places[2].step == 7 && places[2].call == 2 && places[2].index == 1);
    CHECK(places[3].kind == beforeWait && places[3].call == 3 && places[4].kind == inWait);
    CHECK_EQ_STR(places[2].name, "C");
    CHECK_EQ_STR(places[3].name, "outside");
    CHECK_EQ_STR(places[4].name, "D");
    CHECK_EQ_INT(loopProgramStepLine(program), 3);
    free(program);
}

TEST(program_handlers_do_what_a_handler_may, "A signal handler can only do what takes no lock") {
    checkError("when interrupted: run default", "line 1, column 19: expected signal, send, wake, stop or say, because a signal handler can do no more, found \"run\"");
    checkError("when interrupted: stop in default", "line 1, column 19: expected signal, send, wake, stop or say, because a signal handler can do no more, found \"stop\"");
    LoopProgram *program = calloc(1, sizeof *program);
    CHECK(loopProgramRead(program, "when interrupted: stop\nwhen interrupted runs: wake\nqueue interrupted"));
    CHECK(program->places[1].kind == inHandler && program->places[2].kind == inBlock);
    free(program);
}

TEST(program_errors_are_in_chinese_too, "The message about a text has the same place and meaning in Chinese") {
    LoopProgram *program = calloc(1, sizeof *program);
    CHECK(!loopProgramRead(program, "source S\nadd S to"));
    CHECK_EQ_STR(program->errorInChinese, "第 2 行第 9 列，应为：mode 的名字；实际：行尾");
    CHECK(!loopProgramRead(program, "signal X"));
    CHECK_EQ_STR(program->errorInChinese, "第 1 行第 8 列，应为：上面某一行里的 source；实际：\"X\"");
    free(program);
}

TEST(program_is_written_without_unused_threads, "A thread that nothing is about is left out, and no thread gets a line that it does not need") {
    static const char text[] = "thread B:\n    source S\n    add S to default\n    run default\nthread E: say \"E\"\nthread C:\nthread D:\nat 1s: wake D and stop B\n";
    LoopProgram *program = calloc(1, sizeof *program);
    char *written;
    size_t size;
    CHECK(loopProgramRead(program, text));
    FILE *out = open_memstream(&written, &size);
    loopProgramWrite(out, program);
    fclose(out);
    CHECK_EQ_STR(written, "thread B:\n    source S\nthread B:\n    add S to default\n    run default\nthread E:\n    say \"E\"\nthread D:\nat 1s:\n    wake D\n    stop B\n");
    free(written);
    free(program);
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

TEST(program_logs_are_compared_thread_by_thread, "Two threads may write their lines in either order, and times are rounded to milliseconds or left out") {
    static const char log[] = "0.000000004 main   S performs\n1.000 B run A: Finished\n2.000 main run A: Stopped\n";
    char *with = loopLogByThread(log, true), *without = loopLogByThread(log, false);
    CHECK_EQ_STR(with, "1.000 B run A: Finished\n0.000 main   S performs\n2.000 main run A: Stopped\n");
    CHECK_EQ_STR(without, "B run A: Finished\nmain   S performs\nmain run A: Stopped\n");
    CHECK(loopLogDigest(without) != loopLogDigest("main   S performs\nB run A: Finished\nmain run A: Stopped\n"));
    free(with);
    free(without);
}

TEST(program_logs_that_differ_stand_side_by_side, "A case that fails prints its sentence, its program and both logs, with the first line that differs marked") {
    LoopCase of = {.sentence = "What happens", .text = "run A\n"};
    char *printed;
    size_t size;
    FILE *out = open_memstream(&printed, &size);
    loopCasePrint(out, &of, "ours", "main   S performs\nmain   T fires\n", "the model", "main   S performs\nmain run A: Finished\nB run A: Finished\n");
    fclose(out);
    CHECK_EQ_STR(printed, "What happens\nrun A\n\n"
                          "    ours                                      the model\n"
                          "    main   S performs                         main   S performs\n"
                          "  * main   T fires                            main run A: Finished\n"
                          "                                              B run A: Finished\n");
    free(printed);
}
