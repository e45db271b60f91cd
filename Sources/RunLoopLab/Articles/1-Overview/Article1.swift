// Article1.swift: the programs and the items of article 1.

let article1 = Article(number: 1, title: "Runloop概述", programs: [

], items: [
])
