import CacheInvalidation
import CacheModel
import CacheWire

/// Which rule gives the keys of a sharded cluster to its shards: the members of the configuration,
/// or slots that the log assigns.
///
///     by members ──members settled──▶ table stored, noted with the runs ──▶ records of slots
///
/// A table without owners is stored, and that slots are in force is in the stored table of runs,
/// before the first slot record is in the log. So a publisher that starts without the stored slots
/// knows that they are lost.
struct Ownership {
    var members: MembershipChange
    /// `nil`: owners follow from the members.
    private(set) var slots: PublishedSlots?

    /// Whether nothing can be stored yet: the log had no records at the start.
    private let isFresh: Bool
    /// Whether records of slots may follow: the table of this epoch is stored, and noted.
    private var mayAppend = false
    /// Since when this publisher hears nodes.
    private var start: Instant?

    /// - Parameter hasRecords: whether the log has records of an earlier publisher.
    init(_ plan: PublisherPlan, hasRecords: Bool) {
        isFresh = !hasRecords
        members = MembershipChange(plan, hasRecords: hasRecords)
    }

    /// Whether the table of runs, which an earlier publisher of this log stored, says that slots
    /// are in force.
    private(set) var areSlotsNoted = false

    /// The publisher has read an earlier publisher's table of runs, with these members.
    mutating func resumed(_ runs: StoredRuns.Resumption, _ members: RunTable.Members?) {
        areSlotsNoted = runs.isBySlots
        if runs.isCurrent, !runs.isBySlots { self.members.resumed(members) }
    }

    /// What the stored table of runs says while slots are in force.
    static var noted: RunTable.Members {
        RunTable.Members(digest: 0, areSettled: true, isBySlots: true)
    }

    /// Slots are in force from now on.
    ///
    /// - Parameter kept: the mark of the stored table; `nil`: none is stored in this epoch.
    mutating func begin(_ table: SlotTable, kept: LogPosition?) {
        slots = PublishedSlots(continuing: table, kept: kept)
        members.superseded()
    }

    /// What a topology report says of the owners, apart from their names.
    struct Standing: Equatable {
        /// `nil`: the cluster is not sharded.
        let areSettled: Bool?
        let isBySlots: Bool
    }

    var standing: Standing {
        Standing(areSettled: members.areSettled, isBySlots: slots != nil)
    }

    func slotsStanding(_ plan: PublisherPlan, _ nodes: NodeRegistry) -> SlotsStanding {
        SlotsStanding(
            table: slots?.table, away: slots?.away ?? [],
            lacking: plan.beginsSlots && slots == nil ? nodes.withoutSlots : [])
    }

    /// Why the topology is not told yet; `nil`: it is.
    var whyUntold: String? {
        if slots?.mayBeTold == false {
            return "the publisher has not stored the owners of slots yet; try again"
        }
        return members.mustHideFirst
            ? "the cluster is of another kind, and its log has yet to hide everything; try again"
            : nil
    }

    /// Completes a report with the owners of keys.
    ///
    /// - Returns: since when they are that; `nil`: the cluster is not sharded.
    func state(in report: inout TopologyReport, asOf position: LogPosition) -> MembersNote? {
        report.slots = slots?.table
        // Slots that are in force stay so, whatever the configuration says.
        if slots != nil { report.kind = .sharded }
        let areSettled = slots != nil ? true : members.areSettled
        return areSettled.map {
            MembersNote(isSettled: $0, isBySlots: slots != nil, asOf: position)
        }
    }

    /// A node leaves in order: its slots go to others at once.
    mutating func lookNow() { slots?.lookNow() }

    /// A node is gone, as an administrator says: its slots go to others.
    ///
    /// - Returns: whether it has none, or another node is there to get them.
    mutating func giveUp(_ node: NodeID, _ grants: GrantTable, now: Instant) -> Bool {
        guard let isGiven = slots?.giveUp(node, grants, now: now) else { return true }
        return isGiven || slots?.table.holders.contains(node) == false
    }

    /// The configuration was loaded anew.
    mutating func configured(_ plan: PublisherPlan) {
        guard slots == nil else { return lookNow() }
        members.configured(plan)
    }

    /// The log begins a new epoch.
    mutating func begun(_ epoch: Epoch) {
        guard slots == nil else { slots?.begun(epoch); return }
        members.begunAnew()
    }

    /// What records in the log have changed.
    struct Change {
        /// Whether the topology is another one.
        var areNew = false
        /// `false`: the owners of slots are not those of the log, and a new epoch has to begin.
        var areKnown = true
    }

    /// These requests, and these new records of them, are in the log.
    mutating func appended(_ placed: [PlacedRequest], _ batch: [SealedRecord]) -> Change {
        slots?.note(batch)
        var change = Change()
        for one in placed {
            switch one.queued.origin {
            case .members(let told):
                members.appended(told, at: one.position)
                if members.stage == .settled { change.areNew = true }
            case .slots(let record):
                change.areNew = true
                if slots?.appended(record, at: one.position) == false { change.areKnown = false }
            case .client, .answered, .echo, .slice: break
            }
        }
        return change
    }

    /// The log refused a record of members, or of slots.
    mutating func refused(retryAt: Instant) {
        if slots == nil { members.refused(retryAt: retryAt) }
        slots?.refused(retryAt: retryAt)
    }

    /// When something is due though nothing has happened; `nil`: never.
    func nextDue(in log: some InvalidationLog, turnEndedAt: Instant) -> Instant? {
        guard let slots else { return members.nextDue }
        let storing = slots.storingDue(for: log, turnEndedAt: turnEndedAt)
        return [mayAppend ? slots.nextDue : nil, storing].compactMap(\.self).min()
    }

    // MARK: Storing

    /// Continues with the slots that an earlier publisher stored, if slots are in force.
    ///
    /// - Returns: why not, and the latest epoch that may have had a table: a later epoch has to
    ///   begin. `nil`: nothing is lost.
    /// - Complexity: O(records since they were stored).
    mutating func resumeSlots(
        _ kept: [UInt8]?, in log: some InvalidationLog
    ) -> (cause: SlotsLoss, behind: Epoch)? {
        let stored = kept.flatMap { StoredSlots(reading: $0) }
        guard log.hasHistory, areSlotsNoted || stored?.log == log.id else { return nil }
        let epoch = log.head.position.epoch
        do throws(SlotsLoss) {
            guard let stored else { throw kept == nil ? .missing : .damaged }
            begin(try stored.table(asOf: log), kept: stored.mark.position)
            return nil
        } catch {
            begin(stored?.table ?? SlotTable(beginningOf: epoch), kept: nil)
            let told = stored?.mark.position.epoch ?? epoch
            return (error, max(epoch, min(told, InvalidationLimits.epochReportedMax)))
        }
    }

    mutating func takeUnstored(
        in log: some InvalidationLog, now: Instant, turnEndedAt: Instant
    ) -> [UInt8]? {
        slots?.takeUnstored(for: log, now: now, turnEndedAt: turnEndedAt)
    }

    /// - Returns: whether the table may be told from now on.
    mutating func stored(isFailed: Bool, now: Instant) -> Bool {
        let couldBeTold = slots?.mayBeTold
        slots?.stored(isFailed: isFailed, now: now)
        return slots?.mayBeTold != couldBeTold
    }

    // MARK: Advancing

    /// Advances a change of the owners as far as it can.
    ///
    /// - Returns: what has to be appended for it.
    mutating func advance(
        _ plan: PublisherPlan, _ nodes: inout NodeRegistry, log: some InvalidationLog,
        now: Instant
    ) -> [QueuedRequest] {
        let start = start ?? now
        self.start = start
        if slots == nil, log.isStanding, log.outlivesItsProcess,
            mayBegin(plan, nodes, since: start, now: now)
        {
            begin(SlotTable(beginningOf: log.head.position.epoch), kept: nil)
        }
        guard slots == nil else {
            // In each epoch the table is stored first, then noted, and then records follow.
            mayAppend = slots?.mayBeTold == true && nodes.runs.update(Self.noted)
            guard mayAppend else { return [] }
            let due = slots?.takeDue(
                plan, among: nodes.grants, since: start, now: now)
            return due.map { [QueuedRequest($0)] } ?? []
        }
        advanceMembers(plan, &nodes, now: now)
        return members.takeDue(now: now).map {
            QueuedRequest(origin: .members($0), request: $0.request)
        }
    }

    /// Whether slots may give the keys to their owners from now on: every node knows them, and
    /// those that are there can get them at once, because until they have no key is answered.
    private func mayBegin(
        _ plan: PublisherPlan, _ nodes: NodeRegistry, since start: Instant, now: Instant
    ) -> Bool {
        guard plan.beginsSlots, members.areSettled == true, nodes.withoutSlots.isEmpty else {
            return false
        }
        // Leases of an earlier publisher may overlap.
        guard !nodes.grants.mayTwoHold(at: now) else { return false }
        let leased = nodes.grants.leasedNodes(at: now)
        let areAllThere = plan.nodes.allSatisfy { leased.contains($0.id) }
        return isFresh || areAllThere || start.advanced(by: plan.firstOwnersAfter) <= now
    }

    private mutating func advanceMembers(
        _ plan: PublisherPlan, _ nodes: inout NodeRegistry, now: Instant
    ) {
        greetMembers(plan, &nodes, now: now)
        if members.stage == .noting, nodes.runs.update(members.moving) { members.noted(now: now) }
        guard case .told(let position) = members.stage else {
            let settled = RunTable.Members(digest: members.digest, areSettled: true)
            if members.stage == .settled { _ = nodes.runs.update(settled) }
            return
        }
        // Everything is hidden by now, if that was due: it need not be repeated after a restart.
        _ = nodes.runs.update(members.moving)
        if MembershipChange.behind(position, among: nodes.grants, now: now).isEmpty
            || !plan.guards.isOn(.settledMembers)
        {
            members.appliedByAll(now: now)
        }
    }

    /// Waits for nodes with members of an earlier publisher, if there is no table of it.
    private mutating func greetMembers(
        _ plan: PublisherPlan, _ nodes: inout NodeRegistry, now: Instant
    ) {
        guard case .greeting(let earlier) = members.stage else { return }
        // Otherwise a later publisher would take the table for one of a release that did not check.
        if earlier != .unchecked { _ = nodes.runs.update(members.moving) }
        guard
            MembershipChange.areGone(earlier, nodes.grants, isOpen: plan.isOpen, now: now)
        else { return }
        members.greeted(areAllHeard: nodes.grants.isEveryNodeHeard)
    }
}
