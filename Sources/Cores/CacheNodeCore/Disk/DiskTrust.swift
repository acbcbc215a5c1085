import CacheDisk
import CacheModel

/// Whether what an earlier run left in the disk tier may be shown, and what is still missing for
/// that.
///
///     awaited    the log up to the last record that the earlier run applied
///     lastRun    in a sharded topology: which run of the node stored last
///     amnesty    the names that were invalidated while the log was trimmed
struct DiskTrust {
    /// The run that wrote what lies there; `nil` if that is this one.
    let writtenBy: Incarnation?
    /// The run that the publisher knows as this node's last; `nil` until it has said so.
    var lastRun: Incarnation?
    /// Whether no other run stored this shard's keys since it was written.
    var isRunSettled: Bool
    /// By what topology its keys are this shard's; `nil` for a tier that is new.
    var owners: UInt64?
    /// The last mark that an earlier run had applied, until it is applied here; `nil` once it is.
    private(set) var awaited: LogMark?
    /// What of it may be shown though the log was trimmed meanwhile; `nil` if it was not.
    var amnesty: DiskAmnesty?
    /// Whether an earlier run passed records over, up to the last that it had applied.
    private var hasGap = false
    /// The last mark that an earlier run had applied.
    private var appliedBefore = LogMark.none

    init(writtenBy: Incarnation?) {
        self.writtenBy = writtenBy
        isRunSettled = writtenBy == nil
    }

    var isNew: Bool { writtenBy == nil }

    func isComplete(_ guards: Guards) -> Bool {
        (awaited == nil || !guards.isOn(.awaitedMark)) && isRunSettled
            && amnesty?.isAwaited != true
    }

    /// Nothing of an earlier run is left.
    mutating func reset() { (awaited, amnesty, isRunSettled) = (nil, nil, true) }

    mutating func adopt(_ recovered: RecoveredTier) {
        let checkpoint = recovered.checkpoint
        (owners, hasGap) = (checkpoint.owners, checkpoint.hasGap)
        appliedBefore = recovered.applied
        awaited = appliedBefore == checkpoint.mark ? nil : appliedBefore
    }

    /// The shard is told again what the earlier run had applied.
    mutating func resume() { awaited = appliedBefore }

    /// A floor snapshot replaces the records that are awaited.
    mutating func stopAwaiting() { awaited = nil }

    enum Arrival { case before, expected, other }

    /// The shard has applied the log up to this mark.
    ///
    /// - Returns: how it stands to the mark that is awaited; `.expected` if none is.
    mutating func arrive(at mark: LogMark) -> Arrival {
        guard let awaited else { return .expected }
        guard mark.position >= awaited.position else { return .before }
        self.awaited = nil
        return mark == awaited ? .expected : .other
    }

    /// Whether an earlier run removed already what a record at this position removes. What lies
    /// there now may have been filled since.
    func hasApplied(_ position: LogPosition) -> Bool {
        !hasGap && awaited.map { position <= $0.position } ?? false
    }

    /// What a later process has to know besides the entries.
    func checkpoint(of log: LogID, at applied: LogMark, floors: [UInt8]) -> Checkpoint {
        var checkpoint = Checkpoint(log: log, mark: amnesty?.since ?? applied, floors: floors)
        checkpoint.owners = owners ?? 0
        checkpoint.hasGap = amnesty != nil || hasGap && awaited != nil
        return checkpoint
    }
}
