/// The outcome of one operation. The numbers are on the wire.
public enum ResultStatus: UInt8, CaseIterable, Sendable {
    case hit = 1
    case miss = 2
    case stale = 3
    case behind = 4
    case stored = 5
    case removed = 6
    case touched = 7
    case received = 8
    case refused = 9
    case busy = 10
    case deferred = 11
    case changed = 12
    /// The origin was asked and returned nothing; the detail gives the reason.
    case failed = 13
}
