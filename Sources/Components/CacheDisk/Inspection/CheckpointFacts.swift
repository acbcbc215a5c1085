package import CacheModel

/// The content of one of the two checkpoint areas.
package enum CheckpointFacts: Equatable, Sendable {
    /// None was written there yet.
    case blank
    case damaged
    case whole(counter: UInt64, log: LogID, mark: LogMark, floorsBytes: Int)

    /// - Parameter bytes: of the whole area; `nil` if it could not be read.
    init(_ bytes: [UInt8]?, _ seal: RecordSeal) {
        guard let bytes else {
            self = .damaged
            return
        }
        if let found = Checkpoint(bytes, seal) {
            self = .whole(
                counter: found.counter, log: found.log, mark: found.mark,
                floorsBytes: found.floors.count)
        } else {
            self = bytes.allSatisfy { $0 == 0 } ? .blank : .damaged
        }
    }

    package var counter: UInt64? {
        if case .whole(let counter, _, _, _) = self { counter } else { nil }
    }
}
