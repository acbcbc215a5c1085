import CacheModel

/// What a status says about the origin, independent of the value. The only place that sorts
/// statuses into those that are worth another attempt and those that are not.
package enum OriginStatus: CaseIterable, Sendable {
    /// A healthy origin's final answer, also a refusal: every status that is not listed below.
    case settled
    /// A problem of this one exchange; the next may succeed: 408, 425.
    case untimely
    /// Healthy, but receives too many requests: 429.
    case crowded
    /// Overloaded: 503, 504.
    case overloaded
    /// Failing: any other 5xx.
    case failing

    package init(_ status: Int) {
        self =
            switch status {
            case 408, 425: .untimely
            case 429: .crowded
            case 503, 504: .overloaded
            case 500...599: .failing
            default: .settled
            }
    }

    /// Whether the next attempt may succeed where this one did not.
    package var isWorthAnother: Bool { self != .settled }
    /// Whether the origin would do better with fewer concurrent requests.
    package var isCongestion: Bool { self == .crowded || self == .overloaded }
    /// Whether it counts as a failure of the origin.
    package var isFailure: Bool { self == .overloaded || self == .failing }
}
