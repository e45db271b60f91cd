# asleep.gdb: the stack of a thread that sleeps in its loop, printed when another thread has stopped. How the stacks are written:
# callouts.gdb. A name in brackets may be missing, or be inlined into the frame outside it: in a release build, some of this loop's own.
#
#     gdb -batch -nx -x Tests/Debugger/asleep.gdb --args .build/debug/CScenarios scenario asleep

set confirm off
set pagination off
set width 0
set print address on
set print frame-arguments none
set startup-with-shell off
set breakpoint pending off

# Without a limit: epoll_wait, where a Mac shows mach_msg_trap.

#   epoll_wait|__epoll_wait
#   [__CFPortSetEpollWait]
#   __CFPortSetWait
#   __CFRunLoopServiceMachPort
#   __CFRunLoopRun
#   CFRunLoopRunSpecific
#   CFRunLoopRun
#   worker
#   ...
tbreak asleep_look_here
commands $bpnum
    silent
    thread apply 2 backtrace
    continue
end

run
