// Catalog.swift: all experiments.

/// All of them, in the order of their groups.
enum Catalog {
    static let all: [any Experiment] = Group.allCases.flatMap { group in everything.filter { $0.about.group == group } }

    private static let everything: [any Experiment] = [
        LoopEnds(), ModesIsolate(), RunResults(), OneSourceARun(), StopInnermost(),
        SocketThread(), DisplayLinkFrames(), BusyTimer(), Tolerance(),
        Callouts(), WakeUps(), TenSteps(), SleepCostsNothing(), MainQueue(), Blocks(), EventLoops(), FirstTouch(),
    ]

    /// The one of this name.
    static func named(_ name: String) -> (any Experiment)? {
        all.first { $0.about.name == name }
    }
}
