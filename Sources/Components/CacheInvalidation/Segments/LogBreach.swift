package import CacheModel

/// Why a log on disk cannot be proven whole. Each begins a new epoch.
package enum LogBreach: Hashable, Sendable, CustomStringConvertible {
    case stampMissing
    case stampDamaged
    /// The stamp does not lie in the file it was written to.
    case restored
    case segmentsMissing
    case headerDamaged(SegmentName)
    /// Another log's segment, or one that was renamed.
    case stranger(SegmentName)
    /// The segment does not begin where the one before it ends.
    case gap(before: SegmentName)
    case damaged(SegmentName, offset: Int)
    /// A segment goes on beyond where the next one begins.
    case overrun(SegmentName, by: SegmentName)
    /// The records end before, or differ from, what the stamp says was there.
    case cut(expected: LogPosition, found: LogPosition)
    /// The records go on behind the place where the log was closed.
    case grown(expected: LogPosition, found: LogPosition)

    package var description: String {
        switch self {
        case .stampMissing: "its stamp is missing"
        case .stampDamaged: "its stamp is damaged"
        case .restored: "it is a copy of an earlier log, or was restored from one"
        case .segmentsMissing: "its segments are missing"
        case .headerDamaged(let name): "the header of \(name) is damaged"
        case .stranger(let name): "\(name) belongs to another log or was renamed"
        case .gap(let name): "records are missing before \(name)"
        case .damaged(let name, let offset): "\(name) is damaged at byte \(offset)"
        case .overrun(let name, let next):
            "\(name) holds records beyond the beginning of \(next)"
        case .cut(let expected, let found):
            "it reaches to \(found) and once held \(expected)"
        case .grown(let expected, let found):
            "it was closed at \(expected) and reaches to \(found)"
        }
    }
}
