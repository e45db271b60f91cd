// Article2.swift: the programs and the items of article 2.

let article2 = Article(number: 2, title: "RunLoop入门篇", programs: [
    OddKeeping(),
], items: [
])
