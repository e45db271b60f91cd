// TableView.swift: a list of cells, as UITableView: a cell is made when its row becomes visible. (A4)

/// A row of a table.
class TableViewCell {
    let row: Int
    var text = ""
    let imageView: ImageView

    init(row: Int, imageView: ImageView) {
        (self.row, self.imageView) = (row, imageView)
    }
}

/// A scroll view that shows cells. Use it on the main thread.
final class TableView: ScrollView {
    /// The cells that are visible, from top to bottom.
    private(set) var visibleCells: [TableViewCell] = []

    private let rowHeight: Int
    private let cellForRow: (Int) -> TableViewCell

    /// - Parameters:
    ///   - rowHeight: how many rows of the screen a cell takes.
    ///   - cellForRow: makes the cell of a row, each time the row becomes visible.
    init(_ name: String, columns: ClosedRange<Int>, rows: ClosedRange<Int>, numberOfRows: Int, rowHeight: Int,
         cellForRow: @escaping (Int) -> TableViewCell) {
        (self.rowHeight, self.cellForRow) = (rowHeight, cellForRow)
        super.init(name, columns: columns, rows: rows, contentHeight: numberOfRows * rowHeight)
        didMove()
    }

    override func didMove() {
        let height = rows.upperBound - rows.lowerBound + 1
        let visible = contentOffset / rowHeight...min(contentHeight - 1, contentOffset + height - 1) / rowHeight
        visibleCells = visible.map { row in visibleCells.first { $0.row == row } ?? cellForRow(row) }
    }
}
