// Article 4, 〈preRenderBubbleWithSize:〉: 4.20.
//
// A bubble is drawn once and stretched to ten sizes. What to see: the corners stay, and nothing is drawn again. No run loop takes part.

// MARK: - The listing

/// A picture with a border that is not stretched.
private struct BubbleImage {
    var rows: Picture
    /// How many rows and columns at each side stay as they are.
    private let capInsets = 1

    static func preRenderBubble(width: Int, height: Int, _ lab: Lab) -> BubbleImage {
        lab.observe("drawn")
        func row(_ left: String, _ middle: String, _ right: String) -> String { left + String(repeating: middle, count: width - 2) + right }
        let rows = [row(".", "-", ".")] + Array(repeating: row("|", " ", ":"), count: height - 2) + [row("'", "=", ":")]
        return BubbleImage(rows: rows)
    }

    func stretched(width: Int, height: Int) -> BubbleImage {
        func stretch<Element>(_ part: [Element], to length: Int) -> [Element] {
            part.prefix(capInsets) + Array(repeating: part[capInsets], count: length - 2 * capInsets) + part.suffix(capInsets)
        }
        return BubbleImage(rows: stretch(rows, to: height).map { String(stretch(Array($0), to: width)) })
    }

    private init(rows: Picture) { self.rows = rows }
}

// MARK: - Telling and judging

struct PreRenderedBubble: Program {
    let about = About(
        name: "4.20", title: Text("A bubble, drawn once, stretched to ten sizes", "气泡只绘制一次，拉伸成十种大小"),
        says: Text("A complex view that seldom changes can be rendered once in advance; a resizable image with cap insets fits all sizes.",
                   "不常变化的复杂视图可以预渲染成一张图，设置拉伸区域后适用于各种大小。"),
        notice: Text("""
            There is no UIGraphics here, so the picture is rows of characters: its corners and its shadow are kept, and the middle is repeated. The insets in the listing \
            are 10 on each side; here they are one character.
            """, "这里没有 UIGraphics，图像就是几行字符：保留四角和阴影，重复中间部分。代码里的拉伸边距是 10，这里是一个字符。"),
        verdict: .asTheArticleSays, seconds: 0.1)

    private static let sizes = (3...12).map { (width: 2 * $0, height: $0) }

    func run() {
        let bubble = BubbleImage.preRenderBubble(width: 4, height: 4, lab)
        for (number, size) in Self.sizes.enumerated() {
            let image = bubble.stretched(width: size.width, height: size.height)
            if number % 5 == 0 { image.rows.forEach(NSLog) }
            let corners = [image.rows.first!, image.rows.last!].flatMap { [$0.first!, $0.last!] }
            lab.observe("stretched", corners.map(String.init).joined(separator: " "), value: Double(image.rows.map(\.count).reduce(0, +)))
        }
    }

    func judge() {
        lab.article.expect(Text("it is drawn once", "只绘制一次"), "drawn", times: 1)
        lab.article.expect(Text("it fits all ten sizes: the numbers of characters", "适用于十种大小：字符数"), of: "stretched",
                   is: Self.sizes.map { Double($0.width * $0.height) }) { $0.values }
        lab.expect(Text("the corners stay as they were drawn", "四角与绘制时相同"), of: "stretched", is: Array(repeating: ". . ' :", count: Self.sizes.count)) {
            $0.map(\.detail)
        }
    }
}
