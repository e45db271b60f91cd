"""The run loop's debugger helpers, for gdb and for lldb.

The helpers need little of a debugger (debugger.py): bytes of memory, the layout of a struct, the address of a symbol, threads and their
frames. in_gdb.py and in_lldb.py provide these; everything else is the same for both. Nothing here calls a function of the program or
writes to it, so every command except rl-next, rl-break and rl-callouts works on a core file too.

    debugger.py     what the helpers need of a debugger, and Problem, the exception whose text is for the reader
    objects.py      numbers and texts by the layout of the structs; CF objects: strings, arrays, sets, bags, dictionaries
    loops.py        run loops, modes and their items
    steps.py        the ten steps, and what each function of a stack means
    stacks.py       stacks: which step each frame is in
    tree.py, why.py, history.py, checks.py, explain.py       what the commands print
    commands.py     the commands, by name, with their help
    summaries.py    objects in one line
    names.py        Swift's names, readable
    words.py        the language of what the commands print
    in_gdb.py, printers.py, in_lldb.py      the two debuggers
"""
