import CacheModel
import NIOCore

extension TimeAmount {
    /// The whole nanoseconds of `duration`; zero if it is negative.
    init(_ duration: Duration) {
        self = .nanoseconds(Int64(clamping: duration.wholeNanoseconds))
    }
}
