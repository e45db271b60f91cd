// Article3.swift: the programs and the items of article 3.

let article3 = Article(number: 3, title: "ios 程序启动与运转", programs: [
    LaunchToView(),
    PoolChain(),
    FourExits(),
    ThreeKindsOfSources(),
    TimerOfTheThread(),
    ObserverParameters(),
    OnePass(),
    Refresh(),
    GestureIsRecognised(),
], items: [
])
