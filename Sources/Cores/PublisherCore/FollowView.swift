import CacheAccess
import CacheModel

/// The part of the log that is visible to a client.
struct FollowView: Hashable {
    /// `nil`: everything, because access control is off.
    private let entry: AccessEntry?

    init(_ entry: AccessEntry?) { self.entry = entry }

    /// Whether the client sees only a part.
    var isPart: Bool { entry.map { !$0.mayFollowLog } ?? false }

    /// The cost of checking a record: comparisons of names.
    func work(on record: InvalidationRecord) -> Int {
        guard isPart, let entry else { return 1 }
        return 1 + record.scopes.count * entry.patterns.count
    }

    func sees(_ record: InvalidationRecord) -> Bool {
        if record.isForNodes { return false }
        guard let entry else { return true }
        return record.scopes.contains(where: entry.sees)
    }

    /// The record as the client sees it; `nil` if nothing in it is visible. Records for nodes are
    /// left out: an earlier release cannot read them. A client that sees a part does not
    /// see the operation id: the operation may be another client's.
    func shown(_ record: InvalidationRecord) -> InvalidationRecord? {
        if record.isForNodes { return nil }
        guard isPart, let entry, !record.isOfNewerForm else { return record }
        let scopes = entry.visible(of: Array(record.scopes))
        guard !scopes.isEmpty else { return nil }
        return InvalidationRecord(
            position: record.position, previousDigest: LogDigest(0), operation: .none,
            strength: record.strength, scopes: scopes)
    }
}
