# limited.gdb: the stack of a thread that sleeps in its loop until a limit. See asleep.gdb.
#
#     gdb -batch -nx -x Tests/Debugger/limited.gdb --args .build/debug/CScenarios scenario limited

set confirm off
set pagination off
set width 0
set print address on
set print frame-arguments none
set startup-with-shell off
set breakpoint pending off

# With a limit: epoll_pwait2, which the C library need not have; with its nanoseconds. A kernel before 5.11 shows epoll_wait.

#   syscall|epoll_wait|__epoll_wait
#   [__CFPortSetEpollWait]
#   __CFPortSetWait
#   __CFRunLoopServiceMachPort
#   __CFRunLoopRun
#   CFRunLoopRunSpecific
#   CFRunLoopRunInMode
#   limitedWorker
#   ...
tbreak limited_look_here
commands $bpnum
    silent
    thread apply 2 backtrace
    continue
end

run
