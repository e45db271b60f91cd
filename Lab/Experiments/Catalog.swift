// Catalog.swift: all experiments.

enum Catalog {
    /// The experiments, in the order of their groups.
    static let experiments: [any Program] = Group.allCases.flatMap { group in everything.filter { $0.about.group == group } }

    private static let everything: [any Program] = [
        LoopEnds(), ModesIsolate(), RunResults(), OneSourceARun(), StopInnermost(),
        SocketThread(), DisplayLinkFrames(), BusyTimer(), Tolerance(),
        Callouts(), WakeUps(), TenSteps(), SleepCostsNothing(), MainQueue(), Blocks(), EventLoops(), FirstTouch(),
    ]

    static func experiment(named name: String) -> (any Program)? { experiments.first { $0.about.name == name } }

    /// An experiment, or the program of an item of the articles.
    static func program(named name: String) -> (any Program)? { experiment(named: name) ?? Articles.item(name)?.program }
}
