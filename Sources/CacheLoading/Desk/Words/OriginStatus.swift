import CacheModel

/// What a status says of the origin, whatever it says of the value. The one place where statuses
/// are sorted into those that are worth another attempt and those that are not.
package enum OriginStatus: CaseIterable, Sendable {
    /// It is well and has said what it had to say, a no included: everything that is not below.
    case settled
    /// Something about this one exchange; the next may do better: 408, 425.
    case untimely
    /// It is well, and is asked too much: 429.
    case crowded
    /// It cannot keep up: 503, 504.
    case overloaded
    /// It fails: any other 5xx.
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
    /// Whether it would do better with fewer requests at a time.
    package var isCongestion: Bool { self == .crowded || self == .overloaded }
    /// Whether it counts against the origin.
    package var isFailure: Bool { self == .overloaded || self == .failing }
}
