# perform.gdb: stops once in each callback of SwiftScenarios and prints the stack there: the perform family, a Timer, a Port, a block,
# and a run within a Timer. How the stacks are written: callouts.gdb. Swift's names stand without arguments; closures and the
# compiler's thunks are left out: Scripts/check-stacks.
#
#     gdb -batch -nx -x Tests/Debugger/perform.gdb .build/debug/SwiftScenarios | swift demangle --simplified

set confirm off
set pagination off
set width 0
set print address on
set print frame-arguments none
set startup-with-shell off
set breakpoint pending off

define on_stop
    commands $bpnum
        silent
        printf "\n"
        backtrace
        continue
    end
end

# performSelector:onThread: arrives as a source 0 (I4). On its own thread, and on the main thread; then a method instead of a closure.

#   scenario_performed_on_thread
#   CallQueue.makeCalls
#   __NSThreadPerformPerform
#   __CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__
#   __CFRunLoopDoSource0
#   __CFRunLoopDoSources0
#   __CFRunLoopRun
#   CFRunLoopRunSpecific
#   CFRunLoopRunInMode
#   RunLoop.run
#   ...
tbreak scenario_performed_on_thread
on_stop

#   scenario_performed_on_main_thread
#   CallQueue.makeCalls
#   __NSThreadPerformPerform
#   __CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__
#   __CFRunLoopDoSource0
#   __CFRunLoopDoSources0
#   __CFRunLoopRun
#   CFRunLoopRunSpecific
#   CFRunLoopRunInMode
#   RunLoop.run
#   SwiftScenarios_main|main
tbreak scenario_performed_on_main_thread
on_stop

#   scenario_method_performed
#   [Receiver.method]
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
#   SwiftScenarios_main|main
tbreak scenario_method_performed
on_stop

# performSelector:withObject:afterDelay: arrives as a timer (T5).

#   scenario_performed_after_delay
#   __NSFireDelayedPerform
#   __CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__
#   __CFRunLoopDoTimer
#   __CFRunLoopDoTimers
#   __CFRunLoopRun
#   CFRunLoopRunSpecific
#   CFRunLoopRunInMode
#   RunLoop.run
#   SwiftScenarios_main|main
tbreak scenario_performed_after_delay
on_stop

# A Timer.

#   scenario_timer_fired
#   __NSFireTimer
#   __CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__
#   __CFRunLoopDoTimer
#   __CFRunLoopDoTimers
#   __CFRunLoopRun
#   CFRunLoopRunSpecific
#   CFRunLoopRunInMode
#   RunLoop.run
#   SwiftScenarios_main|main
tbreak scenario_timer_fired
on_stop

# A Port's message arrives as a source 1 (I2).

#   scenario_message_arrived
#   [Receiver.handle]
#   Port.serve
#   servePort
#   __CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE1_PERFORM_FUNCTION__
#   __CFRunLoopDoSource1
#   __CFRunLoopRun
#   CFRunLoopRunSpecific
#   CFRunLoopRunInMode
#   RunLoop.run
#   SwiftScenarios_main|main
tbreak scenario_message_arrived
on_stop

# A block handed to the loop (X7).

#   scenario_block_performed
#   __CFRUNLOOP_IS_CALLING_OUT_TO_A_BLOCK__
#   __CFRunLoopDoBlocks
#   __CFRunLoopRun
#   CFRunLoopRunSpecific
#   CFRunLoopRunInMode
#   RunLoop.run
#   SwiftScenarios_main|main
tbreak scenario_block_performed
on_stop

# A run within a Timer's callback (S7).

#   scenario_nested_timer_fired
#   __NSFireTimer
#   __CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__
#   __CFRunLoopDoTimer
#   __CFRunLoopDoTimers
#   __CFRunLoopRun
#   CFRunLoopRunSpecific
#   CFRunLoopRunInMode
#   RunLoop.run
#   __NSFireTimer
#   __CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__
#   __CFRunLoopDoTimer
#   __CFRunLoopDoTimers
#   __CFRunLoopRun
#   CFRunLoopRunSpecific
#   CFRunLoopRunInMode
#   RunLoop.run
#   SwiftScenarios_main|main
tbreak scenario_nested_timer_fired
on_stop

run
