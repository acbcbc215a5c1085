import ByteCoding
import CacheModel
import CacheNodeCore
import CacheWire

/// The core of a node's control thread: what the publisher says on both channels, what shards
/// answer, and time, in any order.
///
///     setting 1 (bit 0: it goes on where it was), then each event: kind 1, what it needs
enum ControlFuzz: FuzzTarget {
    static let name = "control"

    private static let eventsMax = 200

    static func take(_ input: UnsafeRawBufferPointer) {
        var script = Script(input)
        var control = FuzzControl(isResuming: script.isOdd())
        for _ in 0..<eventsMax where !script.isAtEnd {
            control.happen(script.below(18), &script)
            control.judge()
        }
        control.end()
    }
}
