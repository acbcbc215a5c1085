import CacheAccess
import CacheModel

/// What somebody sees of the log.
struct FollowView: Hashable {
    /// `nil`: everything, because nobody is asked who they are.
    private let entry: AccessEntry?

    init(_ entry: AccessEntry?) { self.entry = entry }

    /// Whether it is only a part.
    var isPart: Bool { entry.map { !$0.mayFollowLog } ?? false }

    /// What it costs to look at a record: comparisons of names.
    func work(on record: InvalidationRecord) -> Int {
        guard isPart, let entry else { return 1 }
        return 1 + record.scopes.count * entry.patterns.count
    }

    func sees(_ record: InvalidationRecord) -> Bool {
        if record.tellsMembers { return false }
        guard let entry else { return true }
        return record.scopes.contains(where: entry.sees)
    }

    /// The record as it is shown; `nil` where there is nothing to see in it: who the members are is
    /// for nodes, and a release before could not read it. Who sees a part is not
    /// told the operation: it may be another's.
    func shown(_ record: InvalidationRecord) -> InvalidationRecord? {
        if record.tellsMembers { return nil }
        guard isPart, let entry, !record.isOfNewerForm else { return record }
        let scopes = entry.visible(of: Array(record.scopes))
        guard !scopes.isEmpty else { return nil }
        return InvalidationRecord(
            position: record.position, previousDigest: LogDigest(0), operation: .none,
            strength: record.strength, scopes: scopes)
    }
}
