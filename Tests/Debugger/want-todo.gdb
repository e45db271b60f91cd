# want-todo.gdb: the two stacks of article 0's first program with a touch (0.15): break point 1 (0.17) and break point 2 (0.18). How the
# stacks are written: callouts.gdb. Swift's names stand without arguments; closures and the compiler's thunks are left out:
# Scripts/check-stacks.
#
#     gdb -batch -nx -x Tests/Debugger/stop_in.py -x Tests/Debugger/want-todo.gdb --args .build/debug/RunLoopLab article 0.15 | swift demangle --simplified
#
# In lldb: stacks_in_lldb.py.

set confirm off
set pagination off
set width 0
set print address on
set print frame-arguments none
set startup-with-shell off
set breakpoint pending off

# 0.17: the touch, on the main thread. A Source0 of the application calls the view, and the view its controller.

#   ViewController.touchesBegan
#   ControllerView.touchesBegan
#   Application.send
#   Application.handleEventQueue
#   performSource
#   __CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__
#   __CFRunLoopDoSource0
#   __CFRunLoopDoSources0
#   __CFRunLoopRun
#   CFRunLoopRunSpecific
#   CFRunLoopRunInMode
#   Application.runMainLoop
#   Application.run
#   ...
stop_in WantTodo.swift touchesBegan

# 0.18: the performed method, on the other thread: a Source0 of that thread's loop.

#   ViewController.wantTodo
#   [Performing.perform]
#   CallQueue.makeCalls
#   __NSThreadPerformPerform
#   __CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__
#   __CFRunLoopDoSource0
#   __CFRunLoopDoSources0
#   __CFRunLoopRun
#   CFRunLoopRunSpecific
#   CFRunLoopRunInMode
#   RunLoop.run
#   ViewController.subThreadTodo
#   ...
stop_in WantTodo.swift wantTodo

run
