/// ArticleFork.c: CHECK_FOR_FORK, which stands in the listings of article 1 (1.4).

#include "CArticles.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

int ArticleSignalOfForkedChild(void) {
    pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) {
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO); // the reason is printed there
        CFRunLoopGetCurrent();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}
