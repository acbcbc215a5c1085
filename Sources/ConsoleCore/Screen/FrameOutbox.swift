/// What is on its way to a terminal that may be slow: one frame at most, and nothing behind it.
///
/// A frame that finds the last one not gone yet is not made at all; the next one that is made tells
/// the difference to what the terminal shows then. So a slow line shows fewer frames and never old
/// ones.
package struct FrameOutbox: Sendable {
    private var pending: [UInt8] = []
    private var sentCount = 0
    /// What the terminal shows once all that is pending is out; `nil` if that is not known.
    private var shown: Screen?
    private let isColoured: Bool

    package private(set) var frameCount: UInt64 = 0
    package private(set) var droppedCount: UInt64 = 0
    package private(set) var byteCount: UInt64 = 0
    /// Of the frame made last.
    package private(set) var frameBytes = 0

    package init(isColoured: Bool) {
        self.isColoured = isColoured
    }

    /// Whether all that was put in is out.
    package var isEmpty: Bool { sentCount == pending.count }

    /// What has to go out.
    package var rest: ArraySlice<UInt8> { pending[sentCount...] }

    /// Takes a frame, unless one is on its way.
    package mutating func offer(_ screen: @autoclosure () -> Screen) {
        guard isEmpty else {
            droppedCount += 1
            return
        }
        let next = screen()
        pending = ScreenPainter.bytes(from: shown, to: next, isColoured: isColoured)
        sentCount = 0
        shown = next
        guard !pending.isEmpty else { return }
        precondition(
            pending.count <= ConsoleLimits.frameBytesMax(next.size), "a frame has a bound")
        frameBytes = pending.count
        frameCount += 1
    }

    /// So many bytes of ``rest`` are out.
    package mutating func took(_ count: Int) {
        sentCount += count
        precondition(sentCount <= pending.count, "more was taken than there was")
        byteCount += UInt64(count)
    }

    /// Nobody knows what the terminal shows: another program wrote there, or it has a new size.
    package mutating func forgetsScreen() { shown = nil }

    /// Forgets what was not out yet.
    package mutating func abandon() {
        pending = []
        sentCount = 0
        shown = nil
    }
}
