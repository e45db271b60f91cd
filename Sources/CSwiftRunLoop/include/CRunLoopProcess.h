// CRunLoopProcess.h: the end of a child process as something that a descriptor can report.

#ifndef CRUNLOOPPROCESS_H
#define CRUNLOOPPROCESS_H

/// Returns a descriptor that becomes readable when a child of this process ends; close it with `close`. May be called from any thread.
/// - Returns: the descriptor; -1 with an error number if there is no such process (ESRCH), if it is no child of this one or has been
///   waited for (ECHILD), if the process has no descriptor left, or if the kernel is older than Linux 5.4 (ENOSYS, EINVAL).
int CRunLoopProcessOpen(int process);

/// Returns the exit status of a child that has ended, which is gone then: what it has returned, or 128 and the number of the signal that
/// has ended it, as a shell says.
/// - Returns: -1 if somebody else has waited for it; -2 if it has not ended.
int CRunLoopProcessTake(int descriptor);

#endif
