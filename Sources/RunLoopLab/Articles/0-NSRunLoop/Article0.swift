// Article0.swift: the programs and the items of article 0.

let article0 = Article(number: 0, title: "NSRunLoop", programs: [
    SubThread(),
    WantTodo(),
    ScrollingStopsTheTimer(),
], items: [
])
