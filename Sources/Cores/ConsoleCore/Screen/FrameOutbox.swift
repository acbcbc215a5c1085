/// Output to a terminal that may be slow: at most one frame is pending.
///
/// While a frame is pending, further frames are not made at all. The next frame contains the
/// difference to what the terminal shows then. So a slow connection shows fewer frames, and never
/// old ones.
package struct FrameOutbox: Sendable {
    private var pending: [UInt8] = []
    private var sentCount = 0
    /// The terminal's contents after the pending bytes; `nil` if unknown.
    private var shown: Screen?
    private let isColoured: Bool

    package private(set) var frameCount: UInt64 = 0
    package private(set) var droppedCount: UInt64 = 0
    package private(set) var byteCount: UInt64 = 0
    /// Bytes of the last frame.
    package private(set) var frameBytes = 0

    package init(isColoured: Bool) {
        self.isColoured = isColoured
    }

    /// Whether all bytes were sent.
    package var isEmpty: Bool { sentCount == pending.count }

    /// The bytes still to send.
    package var rest: ArraySlice<UInt8> { pending[sentCount...] }

    /// Makes a frame, unless one is pending.
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

    /// The first `count` bytes of ``rest`` were sent.
    package mutating func took(_ count: Int) {
        sentCount += count
        precondition(sentCount <= pending.count, "more was taken than there was")
        byteCount += UInt64(count)
    }

    /// The contents of the terminal are unknown: another program wrote to it, or its size changed.
    package mutating func forgetsScreen() { shown = nil }

    /// Drops the bytes that were not sent yet.
    package mutating func abandon() {
        pending = []
        sentCount = 0
        shown = nil
    }
}
