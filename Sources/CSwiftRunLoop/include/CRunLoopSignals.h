// CRunLoopSignals.h: signals as something that a descriptor can report.

#ifndef CRUNLOOPSIGNALS_H
#define CRUNLOOPSIGNALS_H

#include <stdint.h>

/// Begins to catch signals, and returns a descriptor that is readable whenever one of them has arrived. Until it is closed, the signals do
/// not do what they did before. If several descriptors are open for a signal, each reports it. May be called from any thread.
/// - Parameter wanted: a bit for each signal; signal 1 is the lowest.
/// - Returns: the descriptor; -1 with an error number if a signal cannot be caught (EINVAL), or if the process has no descriptor left.
int CRunLoopSignalsOpen(uint64_t wanted);

/// Returns the number of the next signal that has arrived, or 0. May be called from any thread.
int CRunLoopSignalsTake(int descriptor);

/// Ends the use of the descriptor. The signals for which no other one is open do again what they did before the first was opened.
void CRunLoopSignalsClose(int descriptor);

#endif
