// Article4.swift: the programs and the items of article 4.

let article4 = Article(number: 4, title: "RunLoop是iOS开发中的核心机制", programs: [
    EventSources(),
    OneTimerThreeModes(),
    MainLoopRunsAlready(),
    PermanentThread(),
    ExecutionSequence(),
    SimplifiedRun(),
    ThreadManagers(),
    StallAlarm(),
    TimerPriorities(),
], items: [
])
