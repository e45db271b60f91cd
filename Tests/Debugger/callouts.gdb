# callouts.gdb: stops once in each callback of the scenario "callouts" and prints the stack there.
#
#     gdb -batch -nx -x Tests/Debugger/callouts.gdb --args .build/debug/CScenarios scenario callouts
#
# Each breakpoint carries the stack that it must show, from the callback outwards: one function a line; "a|b" allows either,
# "..." stands for any number of frames. Scripts/check-stacks compares, and wants no more and no fewer frames than these. The
# names above CFRunLoopRunSpecific are those that a Mac shows.

set confirm off
set pagination off
set width 0
set print address on
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

# Observers. Entry and Exit are told from outside the passes of the loop, the others from within.

#   scenario_entry_observer_callback
#   __CFRUNLOOP_IS_CALLING_OUT_TO_AN_OBSERVER_CALLBACK_FUNCTION__
#   __CFRunLoopDoObservers
#   CFRunLoopRunSpecific
#   CFRunLoopRunInMode|CFRunLoopRun
#   ...
#   main
tbreak scenario_entry_observer_callback
on_stop

#   scenario_before_timers_observer_callback
#   __CFRUNLOOP_IS_CALLING_OUT_TO_AN_OBSERVER_CALLBACK_FUNCTION__
#   __CFRunLoopDoObservers
#   __CFRunLoopRun
#   CFRunLoopRunSpecific
#   CFRunLoopRunInMode|CFRunLoopRun
#   ...
#   main
tbreak scenario_before_timers_observer_callback
on_stop

#   scenario_before_sources_observer_callback
#   __CFRUNLOOP_IS_CALLING_OUT_TO_AN_OBSERVER_CALLBACK_FUNCTION__
#   __CFRunLoopDoObservers
#   __CFRunLoopRun
#   CFRunLoopRunSpecific
#   CFRunLoopRunInMode|CFRunLoopRun
#   ...
#   main
tbreak scenario_before_sources_observer_callback
on_stop

#   scenario_before_waiting_observer_callback
#   __CFRUNLOOP_IS_CALLING_OUT_TO_AN_OBSERVER_CALLBACK_FUNCTION__
#   __CFRunLoopDoObservers
#   __CFRunLoopRun
#   CFRunLoopRunSpecific
#   CFRunLoopRunInMode|CFRunLoopRun
#   ...
#   main
tbreak scenario_before_waiting_observer_callback
on_stop

#   scenario_after_waiting_observer_callback
#   __CFRUNLOOP_IS_CALLING_OUT_TO_AN_OBSERVER_CALLBACK_FUNCTION__
#   __CFRunLoopDoObservers
#   __CFRunLoopRun
#   CFRunLoopRunSpecific
#   CFRunLoopRunInMode|CFRunLoopRun
#   ...
#   main
tbreak scenario_after_waiting_observer_callback
on_stop

#   scenario_exit_observer_callback
#   __CFRUNLOOP_IS_CALLING_OUT_TO_AN_OBSERVER_CALLBACK_FUNCTION__
#   __CFRunLoopDoObservers
#   CFRunLoopRunSpecific
#   CFRunLoopRunInMode|CFRunLoopRun
#   ...
#   main
tbreak scenario_exit_observer_callback
on_stop

# A block: the function is the one that the compiler made of the block in scenario_block.

#   __scenario_block_block_invoke
#   __CFRUNLOOP_IS_CALLING_OUT_TO_A_BLOCK__
#   __CFRunLoopDoBlocks
#   __CFRunLoopRun
#   CFRunLoopRunSpecific
#   CFRunLoopRunInMode|CFRunLoopRun
#   ...
#   main
tbreak __scenario_block_block_invoke
on_stop

# A source 0, signalled before the run.

#   scenario_source0_callback
#   __CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__
#   __CFRunLoopDoSource0
#   __CFRunLoopDoSources0
#   __CFRunLoopRun
#   CFRunLoopRunSpecific
#   CFRunLoopRunInMode|CFRunLoopRun
#   ...
#   main
tbreak scenario_source0_callback
on_stop

# A source 1, whose descriptor is ready.

#   scenario_source1_callback
#   __CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE1_PERFORM_FUNCTION__
#   __CFRunLoopDoSource1
#   __CFRunLoopRun
#   CFRunLoopRunSpecific
#   CFRunLoopRunInMode|CFRunLoopRun
#   ...
#   main
tbreak scenario_source1_callback
on_stop

# A timer.

#   scenario_timer_callback
#   __CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__
#   __CFRunLoopDoTimer
#   __CFRunLoopDoTimers
#   __CFRunLoopRun
#   CFRunLoopRunSpecific
#   CFRunLoopRunInMode|CFRunLoopRun
#   ...
#   main
tbreak scenario_timer_callback
on_stop

# The main dispatch queue: libdispatch's own frames stand between the callout and the work.

#   scenario_main_queue_callback
#   ...
#   __CFRUNLOOP_IS_SERVICING_THE_MAIN_DISPATCH_QUEUE__
#   __CFRunLoopRun
#   CFRunLoopRunSpecific
#   CFRunLoopRunInMode|CFRunLoopRun
#   ...
#   main
tbreak scenario_main_queue_callback
on_stop

run
