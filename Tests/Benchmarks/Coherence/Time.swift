import CacheModel
import Foundation
import Threading

/// Moments and pauses. The clock is one for all processes of a machine.
enum Time {
    static var now: UInt64 { MonotonicClock.now.nanoseconds }

    static func since(_ earlier: UInt64) -> Double { Double(now) - Double(earlier) }

    /// An open loop waits for its moments; what is measured is waited for by its answer.
    static func pause(nanoseconds: UInt64) {
        var pause = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        pselect(0, nil, nil, nil, &pause, nil)
    }

    static func pause(until moment: UInt64) {
        let now = now
        if moment > now { pause(nanoseconds: moment - now) }
    }
}
