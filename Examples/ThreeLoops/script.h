// Reads tasks.txt, for the two programs in C. The loop's own part is ask().

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { mostTasks = 32, longestName = 16 };

typedef enum { workMicro, workTimer, workSoon, workInput, workLater } Work;

static const char *const workNames[] = {"micro", "timer", "soon", "input", "later"};

typedef struct Task {
    char name[longestName];
    int count; // of what it asks for
    struct { Work work; int task; } asks[mostTasks];
} Task;

static Task tasks[mostTasks];
static int taskCount;

// Makes the loop run a task. Each program defines this.
static void ask(Work work, Task *task);

static int taskNamed(const char *name) {
    for (int i = 0; i < taskCount; i++) {
        if (strcmp(tasks[i].name, name) == 0) return i;
    }
    if (taskCount == mostTasks) exit(2);
    snprintf(tasks[taskCount].name, longestName, "%s", name);
    return taskCount++;
}

static void readScript(const char *path) {
    char line[512], work[16], name[longestName];
    FILE *file = fopen(path, "r");
    if (!file) { perror(path); exit(2); }
    while (fgets(line, sizeof line, file)) {
        char *asked = strchr(line, ':');
        if (line[0] == '#' || !asked) continue;
        *asked++ = 0;
        Task *task = &tasks[taskNamed(line)];
        for (char *part = strtok(asked, ",\n"); part; part = strtok(NULL, ",\n")) {
            if (sscanf(part, " %15s %15s", work, name) != 2) continue;
            int index = taskNamed(name);
            for (Work i = workMicro; i <= workLater; i++) {
                if (strcmp(work, workNames[i]) == 0) {
                    task->asks[task->count].work = i;
                    task->asks[task->count++].task = index;
                }
            }
        }
    }
    fclose(file);
}

// Prints the task's name and asks for its work.
static void perform(Task *task) {
    printf("%s\n", task->name);
    for (int i = 0; i < task->count; i++) ask(task->asks[i].work, &tasks[task->asks[i].task]);
}

// Works until timers that are due at once are due.
static void workForAWhile(void) {
    struct timespec wait = {0, 5 * 1000 * 1000};
    nanosleep(&wait, NULL);
}
