# socket.gdb: the stack of a CFSocket's callback, and then that of the thread that waits for all CFSockets. How the stacks are written:
# callouts.gdb.
#
#     gdb -batch -nx -x Tests/Debugger/socket.gdb --args .build/debug/CScenarios scenario socket

set confirm off
set pagination off
set width 0
set print address on
set print frame-arguments none
set startup-with-shell off
set breakpoint pending off

# The callback: a CFSocket is a Source0.

#   scenario_socket_callback
#   __CFSocketDoCallback
#   __CFSocketPerformV0
#   __CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__
#   __CFRunLoopDoSource0
#   __CFRunLoopDoSources0
#   __CFRunLoopRun
#   CFRunLoopRunSpecific
#   CFRunLoopRunInMode
#   ...
#   main
tbreak scenario_socket_callback
commands $bpnum
    silent
    printf "\n"
    backtrace
    continue
end

# com.apple.CFSocket.private: epoll_wait, where a Mac shows select.

#   epoll_wait|__epoll_wait
#   __CFSocketManager
#   ...
tbreak scenario_socket_look_here
commands $bpnum
    silent
    thread apply 2 backtrace
    continue
end

run
