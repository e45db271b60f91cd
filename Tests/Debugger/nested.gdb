# nested.gdb: the stack of a run within a run: one group of frames on top of the other. How the stacks are written: callouts.gdb.
#
#     gdb -batch -nx -x Tests/Debugger/nested.gdb --args .build/debug/CScenarios scenario nested

set confirm off
set pagination off
set width 0
set print address on
set print frame-arguments none
set startup-with-shell off
set breakpoint pending off

#   nested_inner
#   __CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__
#   __CFRunLoopDoTimer
#   __CFRunLoopDoTimers
#   __CFRunLoopRun
#   CFRunLoopRunSpecific
#   CFRunLoopRunInMode
#   [runNested]
#   nested_outer
#   __CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__
#   __CFRunLoopDoTimer
#   __CFRunLoopDoTimers
#   __CFRunLoopRun
#   CFRunLoopRunSpecific
#   CFRunLoopRun
#   ...
#   main
tbreak nested_inner
commands $bpnum
    silent
    backtrace
    continue
end

run
