package import CacheModel

/// The names of a shared log's keys in the store: docs/log-format.md.
///
///     PREFIX/owner                    which publishers have the prefix
///     PREFIX/leader                   the term that leads; removed with its lease
///     PREFIX/head                     where the log ends and begins
///     PREFIX/furthest/PUBLISHER       how far it has seen the log, if the log ends before that
///     PREFIX/records/EPOCH/SEQUENCE   a batch, by its last record
///     PREFIX/state/NAME               what the leader stores beside its log
///     PREFIX/state/turn               the term and number of the last write of those
package struct SharedKeys: Hashable, Sendable {
    let prefix: String

    /// - Parameter prefix: as it is configured; a slash at its end does not count.
    package init(prefix: String) {
        self.prefix = prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix
    }

    package var owner: String { "\(prefix)/owner" }
    package var leader: String { "\(prefix)/leader" }
    package var head: String { "\(prefix)/head" }

    package func state(_ name: StateName) -> String { "\(prefix)/state/\(name.rawValue)" }

    package var turn: String { "\(prefix)/state/turn" }

    /// All state. `0` is the character behind the slash.
    package var everyState: StoreRange { .from("\(prefix)/state/", before: "\(prefix)/state0") }

    func furthest(of publisher: String) -> String { "\(prefix)/furthest/\(publisher)" }

    package var everyFurthest: StoreRange {
        .from("\(prefix)/furthest/", before: "\(prefix)/furthest0")
    }

    package var everyRecord: StoreRange {
        .from("\(prefix)/records/", before: "\(prefix)/records0")
    }

    /// The batch that ends with `position`.
    package func records(through position: LogPosition) -> String {
        "\(prefix)/records/\(HexNumber(UInt64(position.epoch.rawValue), digits: 8))"
            + "/\(HexNumber(position.sequence.rawValue, digits: 16))"
    }

    /// The batches with records after `position` in its epoch.
    func records(after position: LogPosition) -> StoreRange {
        let epoch = LogPosition(epoch: position.epoch, sequence: .max)
        // The end of a range is not in it.
        return .from(
            records(through: LogPosition(epoch: position.epoch, sequence: position.sequence.next)),
            before: records(through: epoch) + "0")
    }

    /// The batches that end before `position` in its epoch.
    func records(before position: LogPosition) -> StoreRange {
        .from(
            records(through: LogPosition(epoch: position.epoch, sequence: .none)),
            before: records(through: position))
    }
}

/// What a leader stores beside its log, each under a key of its own.
package enum StateName: String, CaseIterable, Sendable {
    /// The runs of nodes that were granted a lease.
    case runs
    case pacings
    /// The identity of the cluster.
    case identity
    /// The longest lease that was granted.
    case lease
    /// The owners of slots.
    case slots
}

/// A number of a fixed width, so that the order of texts is the order of numbers.
struct HexNumber: CustomStringConvertible {
    let description: String

    init(_ number: UInt64, digits: Int) {
        let text = String(number, radix: 16)
        description = String(repeating: "0", count: max(digits - text.count, 0)) + text
    }
}
