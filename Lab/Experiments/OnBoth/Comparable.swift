// Comparable.swift: the experiments that run on the loop of the toolchain's Foundation as well. This folder is compiled twice:
// into RunLoopLab, and into RunLoopLabOnFoundation, where ON_FOUNDATION is defined.

let comparableExperiments: [any Experiment] = [
    NewMode(), ModesIsolate(), CommonModes(), WhoIsCommon(),
    EmptyMode(), ObserversAlone(), RunForever(), StopInnermost(),
    SignalAndWake(), SocketThread(),
    UnaddedTimer(), TrackingTimer(), BusyTimer(), Tolerance(), DispatchTimer(),
    Activities(), BeforeWaiting(),
    TenSteps(), SleepCostsNothing(), MainQueue(), Blocks(), EventLoops(),
]
