// ScrollView.swift: a list that is dragged, as UIScrollView: while it moves, the main loop runs in the tracking mode. (T2, A4)

import SwiftRunLoop

/// Follows the movement of a scroll view. Use it on the main thread.
protocol ScrollViewDelegate: AnyObject {
    /// The user begins to drag. The loop goes to the tracking mode.
    func scrollViewWillBeginDragging(_ scrollView: ScrollView)
    /// The contents have moved.
    func scrollViewDidScroll(_ scrollView: ScrollView)
    /// The finger was lifted. If the contents move on by themselves, the loop stays in the tracking mode.
    func scrollViewDidEndDragging(_ scrollView: ScrollView, willDecelerate decelerate: Bool)
    /// The contents have come to rest.
    func scrollViewDidEndDecelerating(_ scrollView: ScrollView)
}

extension ScrollViewDelegate {
    func scrollViewWillBeginDragging(_ scrollView: ScrollView) {}
    func scrollViewDidScroll(_ scrollView: ScrollView) {}
    func scrollViewDidEndDragging(_ scrollView: ScrollView, willDecelerate decelerate: Bool) {}
    func scrollViewDidEndDecelerating(_ scrollView: ScrollView) {}
}

/// A view whose contents are higher than itself. Use it on the main thread.
class ScrollView: View {
    weak var delegate: (any ScrollViewDelegate)?
    /// How many rows the contents have.
    var contentHeight: Int
    /// The first row that is visible, from 0.
    private(set) var contentOffset = 0
    /// Whether the contents go on moving when the finger is lifted.
    var decelerates = true

    private var offsetAtStart = 0, lastMove = 0, frame = 0, isDecelerating = false
    private var deceleration: Timer?

    init(_ name: String, columns: ClosedRange<Int>, rows: ClosedRange<Int>, contentHeight: Int) {
        self.contentHeight = contentHeight
        super.init(name, columns: columns, rows: rows)
        let pan = GestureRecognizer(.pan) { _ in }
        pan.action = { [unowned self, unowned pan] state in follow(state, pan.translation.rows) }
        gestures = [pan]
    }

    private var height: Int { rows.upperBound - rows.lowerBound + 1 }

    // MARK: - Dragging

    /// Called when the loop is about to sleep: gestures are reported there.
    private func follow(_ state: GestureRecognizer.State, _ rows: Int) {
        switch state {
        case .began:
            if isDecelerating { stopDecelerating() } else { Application.shared?.pushMode(.tracking) }
            offsetAtStart = contentOffset
            delegate?.scrollViewWillBeginDragging(self)
            scroll(to: offsetAtStart - rows)
        case .changed: scroll(to: offsetAtStart - rows)
        case .ended:
            if rows != 0 { scroll(to: offsetAtStart - rows) }
            let goesOn = decelerates && lastMove != 0
            delegate?.scrollViewDidEndDragging(self, willDecelerate: goesOn)
            if goesOn { decelerate() } else { Application.shared?.popMode() }
        case .possible: break
        }
    }

    private func scroll(to offset: Int) {
        let offset = max(0, min(offset, contentHeight - height))
        guard offset != contentOffset else { return }
        lastMove = (offset - contentOffset).signum()
        contentOffset = offset
        didMove()
        delegate?.scrollViewDidScroll(self)
    }

    /// The visible part has changed. Subclasses fill it.
    func didMove() {}

    // MARK: - Deceleration

    /// The contents move on, a row a frame, slower and slower. The timer is in the tracking mode, in which the loop runs meanwhile.
    private func decelerate() {
        isDecelerating = true
        frame = 0
        let view = Unowned(self) // called on the main thread
        let timer = Timer(timeInterval: 1.0 / 60, repeats: true) { _ in view.object.decelerateByAFrame() }
        RunLoop.main.add(timer, forMode: .tracking)
        deceleration = timer
    }

    private func decelerateByAFrame() {
        frame += 1
        if [1, 2, 4, 7, 11].contains(frame) { scroll(to: contentOffset + lastMove) }
        guard frame == 16 else { return }
        stopDecelerating()
        delegate?.scrollViewDidEndDecelerating(self)
        Application.shared?.popMode()
    }

    private func stopDecelerating() {
        deceleration?.invalidate()
        deceleration = nil
        isDecelerating = false
    }
}
