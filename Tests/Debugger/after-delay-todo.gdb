# after-delay-todo.gdb: the stack of article 0's program with performSelector:afterDelay: (0.26) at break point 2 (0.27). How the stacks
# are written: callouts.gdb. Swift's names stand without arguments; closures and the compiler's thunks are left out: Scripts/check-stacks.
#
#     gdb -batch -nx -x Tests/Debugger/stop_in.py -x Tests/Debugger/after-delay-todo.gdb \
#         --args .build/debug/RunLoopLab article 0.26 --as-written | swift demangle --simplified

set confirm off
set pagination off
set width 0
set print address on
set print frame-arguments none
set startup-with-shell off
set breakpoint pending off

# 0.27: where 0.18 has a Source0, there is a timer.

#   ViewController.afterDelayTodo
#   [Performing.perform]
#   __NSFireDelayedPerform
#   __CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__
#   __CFRunLoopDoTimer
#   __CFRunLoopDoTimers
#   __CFRunLoopRun
#   CFRunLoopRunSpecific
#   CFRunLoopRunInMode
#   RunLoop.run
#   [ViewController.run]
#   ViewController.subThreadTodo
#   ...
stop_in AfterDelayTodo.swift afterDelayTodo

run
