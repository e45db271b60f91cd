/// HarnessTests.c: tests of the harness itself. The cases that fail on purpose are scenarios, which the real cases run.
#include "CTests.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// MARK: - Cases that fail on purpose

CHILD(harness_passes, "Passes; its output is not shown") {
    printf("a line of a case that passes\n");
}

CHILD(harness_check_fails, "Fails a check of two integers") {
    int three = 3;
    printf("a line printed before\n");
    CHECK_EQ_INT(three + 1, 5);
}

CHILD(harness_string_check_fails, "Fails a check of two strings") {
    CHECK_EQ_STR("left", NULL);
}

CHILD(harness_double_check_fails, "Fails a check of two doubles") {
    CHECK_EQ_DOUBLE(1.5, 2.0, 0.25);
}

CHILD(harness_log_check_fails, "Fails a check of the log") {
    LOG("Entry");
    LOG("Timers");
    LOG("Exit");
    CHECK_LOG("Entry\nSources\nExit");
}

static void *failOnThisThread(void *unused) {
    (void)unused;
    FAIL("from another thread");
}

CHILD(harness_thread_fails, "Fails on a thread that is not the main thread") {
    pthread_t thread;
    pthread_create(&thread, NULL, failOnThisThread, NULL);
    pthread_join(thread, NULL);
}

CHILD(harness_hangs, "Never ends") {
    for (;;) pause();
}

CHILD(harness_skips_itself, "Says why it cannot run here") { SKIP("not on a day with %s", "rain"); }

CHILD(harness_crashes, "Is ended by a signal") {
    signal(SIGSEGV, SIG_DFL); // a sanitizer would catch it
    raise(SIGSEGV);
}

CHILD(harness_does_not_halt, "Expects an abort that does not come") {
    CHECK_HALTS("anything", { fprintf(stderr, "still here\n"); });
}

CHILD(harness_halts_with_other_words, "Expects an abort with another message") {
    CHECK_HALTS("no ports available", {
        fprintf(stderr, "no memory left\n");
        abort();
    });
}

// MARK: - What the harness reports about them

/// Runs this program with `arguments`. Checks that it ends with `status`, and that its output contains each of the `parts`, which end with
/// a NULL.
static void expect(const char *environment, const char *arguments, int status, const char **parts) {
    int actual;
    char *text = RunCTests(environment, arguments, &actual);
    for (; *parts; parts++) {
        if (!strstr(text, *parts)) FAIL("CTests %s: \"%s\" is not in:\n%s", arguments, *parts, text);
    }
    if (actual != status) FAIL("CTests %s: exit status %d, expected %d; it printed:\n%s", arguments, actual, status, text);
    free(text);
}

#define EXPECT(environment, arguments, status, ...) expect(environment, arguments, status, (const char *[]){__VA_ARGS__, NULL})

TEST(harness_reports_a_pass, "A case that passes is counted, and its output is not shown") {
    int status;
    char *text = RunCTests("", "run harness_passes", &status);
    CHECK_EQ_INT(status, 0);
    CHECK(strstr(text, "ok    harness_passes"));
    CHECK(strstr(text, "1 passed, 0 failed"));
    CHECK(!strstr(text, "a line of a case"));
    free(text);
}

TEST(harness_shows_both_values, "A failed check prints its file and line, both values, and the output of the case") {
    EXPECT("", "run harness_check_fails harness_passes", 1, "FAIL  harness_check_fails", "exited with status 1",
           "a line printed before", "HarnessTests.c:", "three + 1 == 5", "4 == 5 does not hold", "1 passed, 1 failed");
    EXPECT("", "run harness_string_check_fails", 1, "is       \"left\"", "expected NULL");
    EXPECT("", "run harness_double_check_fails", 1, "1.5 and 2 are 0.5 apart, 0.25 is allowed");
    EXPECT("", "run harness_thread_fails", 1, "HarnessTests.c:", "from another thread");
}

TEST(harness_shows_log_differences, "A log that differs from the expected one is shown line by line") {
    EXPECT("", "run harness_log_check_fails", 1, "    Entry", "  - Sources", "  + Timers", "    Exit", "not as expected");
}

TEST(harness_ends_a_hanging_case, "A case that hangs is ended at its time limit and reported as hanging, with the state of its threads") {
    EXPECT("CTESTS_TIME_SCALE=1 CTESTS_TIME_LIMIT=0.5", "run harness_hangs", 1, "FAIL  harness_hangs",
           "hangs; ended after its time limit of 0.5 s", "state S", "0 passed, 1 failed");
}

TEST(harness_shows_why_a_case_was_skipped, "A case that skips itself is no failure; the reason is shown") {
    EXPECT("", "run harness_skips_itself", 0, "skip  harness_skips_itself", "not on a day with rain", "1 passed, 0 failed");
}

TEST(harness_reports_a_crash, "A case that crashes is reported with its signal") {
    EXPECT("", "run harness_crashes", 1, "ended by signal 11 (Segmentation fault)", "0 passed, 1 failed");
}

TEST(harness_checks_halts, "An abort is checked by its message, in a child; the check fails if there is no abort or another message") {
    CHECK_HALTS("these words", {
        fprintf(stderr, "halted with these words\n");
        abort();
    });
    EXPECT("", "run harness_does_not_halt", 1, "was not halted; it exited with status 0", "still here");
    EXPECT("", "run harness_halts_with_other_words", 1, "\"no ports available\" is not in", "no memory left");
}

TEST(harness_list_is_sorted, "The list is sorted by name, names are unique, and each has a sentence; scenarios are not in it") {
    int status;
    char *text = RunCTests("", "list", &status), *rest = text, *last = NULL;
    CHECK_EQ_INT(status, 0);
    for (char *line; (line = strsep(&rest, "\n")) && *line;) {
        char *name = strsep(&line, "\t");
        if (!line || !*line) FAIL("%s has no sentence", name);
        if (last && strcmp(last, name) >= 0) FAIL("%s stands before %s", last, name);
        if (strcmp(name, "harness_hangs") == 0) FAIL("a scenario is in the list");
        last = name;
    }
    CHECK(last);
    free(text);
}

TEST(harness_names_what_is_unknown, "An unknown name, command or option gets one line, and status 2") {
    EXPECT("", "run harness_pases", 2, "there is no case \"harness_pases\"; CTests list has them\n");
    EXPECT("", "scenario harness_hnags", 2, "there is no scenario \"harness_hnags\"; CTests scenario has them\n");
    EXPECT("", "lsit", 2, "there is no command \"lsit\"; CTests --help has them\n");
    EXPECT("", "--halp", 2, "there is no option \"--halp\"; CTests --help has them\n");
    EXPECT("", "run --halp", 2, "there is no option \"--halp\"; CTests --help has them\n");
    EXPECT("", "case", 2, "CTests list");
    EXPECT("CTESTS_TIME_LIMIT=soon", "run harness_passes", 2, "CTESTS_TIME_LIMIT is \"soon\"; it must be a positive number");
}

TEST(harness_looks_around, "Descriptors and threads are counted, and a wait ends when its condition is true or its time has passed") {
    int descriptors = OpenDescriptorCount(), threads = ThreadCount();
    int more = dup(0);
    CHECK_EQ_INT(OpenDescriptorCount(), descriptors + 1);
    close(more);
    CHECK_EQ_INT(OpenDescriptorCount(), descriptors);
    CHECK_GE(threads, 1);
    int looks = 0;
    CHECK(WAIT_UNTIL(++looks == 3, 10));
    CHECK(!WAIT_UNTIL(false, 0.01));
}
