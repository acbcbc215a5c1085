import ByteCoding
import CacheModel
import CacheNodeCore
import CacheWire

/// The core of a node's control thread: what the publisher says on both channels, what shards
/// answer, and time, in any order.
///
///     setting 1 (from 2 on: two publishers, else one; odd: it goes on where it was),
///     then each event: kind 1, what it needs
enum ControlFuzz: FuzzTarget {
    static let name = "control"

    private static let eventsMax = 200

    static func take(_ input: UnsafeRawBufferPointer) {
        var script = Script(input)
        let setting = script.below(4)
        var control = FuzzControl(
            isResuming: !setting.isMultiple(of: 2), areSeveral: setting >= 2)
        for _ in 0..<eventsMax where !script.isAtEnd {
            control.happen(script.below(18), &script)
            control.judge()
        }
        control.end()
    }
}
