import CacheInvalidation
import CacheModel
import CacheWire
import Testing

@testable import PublisherCore

/// Slots that the log assigns, from the first record to the next publisher: docs/decisions/0120.
@Suite struct PublishingCoreSlotsTests {
    /// A live cluster with a lasting log that is to assign slots.
    private func cluster(nodes: Int = 2, isKeepingLivesSlow: Bool = false) throws -> Cluster {
        var cluster = try Cluster.live(nodes: nodes, outlivesItsProcess: true) {
            $0.beginsSlots = true
        }
        cluster.isKeepingLivesSlow = isKeepingLivesSlow
        return cluster
    }

    /// The records of slots that were sent since, and their positions.
    private func sent(
        _ cluster: inout Cluster
    ) throws -> [(record: SlotRecord, sequence: UInt64)] {
        defer { cluster.forget() }
        return try cluster.recordsSent.compactMap { sealed in
            sealed.record.slots.map { ($0, sealed.position.sequence.rawValue) }
        }
    }

    /// `change` or `served below N`, for each record that was sent since.
    private func told(_ cluster: inout Cluster) throws -> [String] {
        try sent(&cluster).map { record, _ in
            switch record {
            case .change: "change"
            case .served(let below): "served below \(below)"
            }
        }
    }

    private func acknowledge(_ cluster: inout Cluster, nodes: ClosedRange<UInt8>) {
        for node in nodes { cluster.ack(node, at: cluster.core.log.head) }
        cluster.tick()
    }

    /// A cluster in which every slot is served.
    private func served(nodes: Int = 2) throws -> Cluster {
        var cluster = try cluster(nodes: nodes)
        for _ in 0..<3 { cluster.tick() }
        acknowledge(&cluster, nodes: 1...UInt8(nodes))
        acknowledge(&cluster, nodes: 1...UInt8(nodes))
        let table = cluster.core.slots.table
        #expect(table != nil && table?.unserved == nil)
        cluster.forget()
        return cluster
    }

    /// A configuration of nodes n1, n2, … with these weights.
    private func plan(weights: [UInt32]) -> PublisherPlan {
        var plan = PublisherPlan(
            nodes: weights.enumerated().compactMap { index, weight in
                NodeID("n\(index + 1)").map {
                    PublisherPlan.Node(id: $0, shards: 1, weightThousandths: weight)
                }
            })
        plan.beginsSlots = true
        return plan
    }

    private func tables(_ cluster: borrowing Cluster) -> SlotTable? { cluster.core.slots.table }

    private func slotCounts(_ cluster: borrowing Cluster) -> [Int] {
        let owners = cluster.core.slots.table?.owners ?? []
        return Dictionary(grouping: owners.compactMap(\.self), by: \.member).sorted {
            $0.key < $1.key
        }.map(\.value.count)
    }

    /// Until slots are in force, the rule of sharded clusters decides who owns which key.
    @Test func weightsBySlotsCountOnceSlotsAreInForce() throws {
        func weights(_ cluster: inout Cluster) throws -> [UInt32] {
            cluster.forget()
            cluster.send(from: 90) {
                MessageWriter(.topology, requestID: 7, into: &$0).finish(&$0, count: 0)
            }
            return try cluster.hear(90, .topologyReport) {
                try TopologyReport(decoding: $0).nodes.map(\.weightThousandths)
            }
        }
        var before = try Cluster.live(nodes: 2, outlivesItsProcess: true)
        before.core.plan.nodes[1].slotWeightThousandths = 3_000
        #expect(before.core.plan.members.map(\.weightThousandths) == [1_000, 1_000])
        #expect(try weights(&before) == [1_000, 1_000])

        var cluster = try cluster(nodes: 2)
        cluster.core.plan.nodes[1].slotWeightThousandths = 3_000
        for _ in 0..<3 { cluster.tick() }
        for _ in 0..<2 { acknowledge(&cluster, nodes: 1...2) }
        #expect(slotCounts(cluster) == [4_096, 12_288])
        #expect(try weights(&cluster) == [1_000, 3_000])
    }

    // MARK: Records

    @Test func theFirstRecordWaitsUntilTheTableOfRunsNamesSlots() throws {
        var cluster = try cluster(isKeepingLivesSlow: true)
        for second in [11.0, 12] { cluster.tick(at: second) }
        #expect(try told(&cluster).isEmpty && cluster.keptSlots.count == 1)
        for _ in 0..<2 {
            cluster.finishKeepingLives()
            cluster.tick()
        }
        #expect(try told(&cluster) == ["change"])
        let counts = slotCounts(cluster)
        #expect(counts == [8_192, 8_192])
    }

    @Test func theFirstRecordWaitsUntilATableIsStored() throws {
        var cluster = Cluster(nodes: 2, outlivesItsProcess: true) { $0.beginsSlots = true }
        cluster.isDiskFull = true
        for number: UInt8 in 1...2 { try cluster.hello(number) }
        for second in [0.0, 10] { cluster.tick(at: second) }
        try cluster.renewLeases()
        for second in [11.0, 12] { cluster.tick(at: second) }
        #expect(try told(&cluster).isEmpty)
        cluster.isDiskFull = false
        try cluster.renewLeases()
        for second in [13.1, 13.2, 13.3] { cluster.tick(at: second) }
        #expect(try told(&cluster) == ["change"])
    }

    @Test func aLogInMemoryAssignsNoSlots() throws {
        var cluster = try Cluster.live(nodes: 2) { $0.beginsSlots = true }
        for second in [11.0, 12, 13] { cluster.tick(at: second) }
        let none = tables(cluster)
        #expect(none == nil)
        #expect(try told(&cluster).isEmpty)
    }

    @Test func slotsAreServedOnceEveryHolderHasAppliedTheChange() throws {
        var cluster = try cluster()
        for _ in 0..<3 { cluster.tick() }
        #expect(try told(&cluster) == ["change"])
        acknowledge(&cluster, nodes: 1...1)
        #expect(try told(&cluster).isEmpty)
        acknowledge(&cluster, nodes: 2...2)
        #expect(try told(&cluster) == ["served below 2"])
        acknowledge(&cluster, nodes: 1...2)
        #expect(try told(&cluster).isEmpty, "nothing is left to say")
    }

    @Test func aSilentHolderIsWaitedForUntilItsGrantEnds() throws {
        var cluster = try cluster()
        for _ in 0..<3 { cluster.tick() }
        cluster.forget()
        cluster.ack(1, at: cluster.core.log.head)
        cluster.tick(at: 13)
        #expect(try told(&cluster).isEmpty)
        cluster.tick(at: 13.1)
        #expect(try told(&cluster) == ["served below 2"])
    }

    @Test func aNewNodeGetsItsShareAndNothingElseMoves() throws {
        var cluster = try served(nodes: 2)
        let before = cluster.core.slots.table?.owners ?? []
        cluster.core.configurationChanged(
            to: plan(weights: [1_000, 1_000, 1_000]), now: cluster.now)
        cluster.tick()
        #expect(try told(&cluster).isEmpty, "it is not there yet")
        try cluster.hello(3)
        _ = try cluster.ping(3, at: cluster.core.log.head)
        cluster.forget()
        cluster.tick(at: cluster.second + 0.5)
        #expect(try told(&cluster) == ["change"], "and no record of members")
        let after = cluster.core.slots.table?.owners ?? []
        let counts = slotCounts(cluster)
        #expect(counts.sorted() == [5_461, 5_461, 5_462])
        #expect(zip(before, after).count { $0 != $1 } == counts[2])
    }

    @Test func theSlotsOfANodeThatDiedGoToTheOthers() throws {
        var cluster = try served(nodes: 3)
        for second in 11...19 {
            cluster.second = Double(second)
            for node: UInt8 in 1...2 { _ = try cluster.ping(node, at: cluster.core.log.head) }
            cluster.tick()
        }
        #expect(try told(&cluster).isEmpty)
        for node: UInt8 in 1...2 { _ = try cluster.ping(node, at: cluster.core.log.head) }
        cluster.tick(at: 20)
        #expect(try told(&cluster) == ["change"])
        let counts = slotCounts(cluster)
        #expect(counts == [8_192, 8_192])
        let away = cluster.core.slots.away
        #expect(away.map(\.name) == ["n3"])
        acknowledge(&cluster, nodes: 1...2)
        #expect(try told(&cluster) == ["served below 4"], "a lease that is over is not waited for")
    }

    /// A node without work leaves a tenth of a second after it said that it drains.
    @Test func aNodeThatDrainsLosesItsSlotsInTheTurnInWhichItSaysSo() throws {
        var cluster = try served()
        cluster.sendPing(2, at: cluster.core.log.head, state: .draining)
        cluster.tick(at: cluster.second + 0.01)
        #expect(try told(&cluster) == ["change"])
        let counts = slotCounts(cluster)
        #expect(counts == [16_384])
        cluster.send(from: 2) { Bye(incarnation: Incarnation(2)).encode(requestID: 0, into: &$0) }
        cluster.ack(1, at: cluster.core.log.head)
        cluster.tick(at: cluster.second + 0.1)
        #expect(try told(&cluster) == ["served below 4"])
    }

    @Test func slotsDoNotBeginWhileANodeDoesNotKnowThem() throws {
        var cluster = Cluster(nodes: 2, outlivesItsProcess: true) { $0.beginsSlots = true }
        try cluster.hello(1)
        cluster.knowsSlots = false
        try cluster.hello(2)
        for second in [0.0, 10] { cluster.tick(at: second) }
        try cluster.renewLeases()
        for second in [11.0, 11.5, 12] { cluster.tick(at: second) }
        let lacking = cluster.core.slots.lacking
        #expect(lacking.map(\.name) == ["n2"])
        let none = tables(cluster)
        #expect(none == nil)
        cluster.knowsSlots = true
        try cluster.hello(2)
        for _ in 0..<3 { cluster.tick() }
        #expect(try told(&cluster) == ["change"])
    }

    @Test func aNodeThatDoesNotKnowSlotsIsRefusedOnceTheyAreInForce() throws {
        var cluster = try served()
        cluster.knowsSlots = false
        try cluster.hello(2, incarnation: 22)
        let error = try cluster.error(to: 2)
        #expect(error.code == ErrorCode.unsupported.rawValue)
        #expect(error.message.contains("start a newer one"))
    }

    /// The log is the truth: slots are not taken back.
    @Test(arguments: [TopologyReport.Kind.sharded, .replicated])
    func slotsStayWhateverTheConfigurationSays(_ kind: TopologyReport.Kind) throws {
        var cluster = try served()
        cluster.tick(at: 12.5)
        var next = try successor(
            of: cluster, (cluster.keptLives.last, cluster.keptSlots.last)
        ) {
            $0.beginsSlots = false
            $0.kind = kind
        }
        let (old, new) = (tables(cluster), tables(next))
        #expect(old == new)
        for number: UInt8 in 1...2 { try next.hello(number) }
        next.tick()
        next.forget()
        next.send(from: 90) {
            MessageWriter(.topology, requestID: 8, into: &$0).finish(&$0, count: 0)
        }
        let report = try next.hear(90, .topologyReport) { try TopologyReport(decoding: $0) }
        #expect(report.kind == .sharded && report.slots == new)
    }

    @Test func aRecordThatTheLogRefusesIsTriedAgain() throws {
        var cluster = try cluster()
        cluster.core.log.isSlow = true
        for _ in 0..<3 { cluster.tick() }
        try cluster.finishAppend(refusedBy: .storage("full"))
        cluster.core.log.isSlow = false
        cluster.tick()
        #expect(try told(&cluster).isEmpty, "not at once")
        cluster.tick(at: cluster.second + 1.5)
        #expect(try told(&cluster) == ["change"])
    }

    /// It is computed anew, for the table at the beginning of the epoch.
    @Test func aRecordOfAnEpochThatEndsIsNotAppendedInTheNext() throws {
        var cluster = try cluster()
        cluster.core.log.isSlow = true
        for _ in 0..<3 { cluster.tick() }
        let isUnderWay = cluster.core.log.ticket != nil
        #expect(isUnderWay, "the change is being appended")
        cluster.invalidate(.none)
        cluster.core.log.isSlow = false
        cluster.core.openEpoch(behind: Epoch(4))
        for _ in 0..<2 { cluster.tick() }
        #expect(try told(&cluster) == ["change"])
        let epoch = tables(cluster)?.position.epoch
        #expect(epoch == Epoch(5))
        let counts = slotCounts(cluster)
        #expect(counts == [8_192, 8_192])
    }

    /// Nodes that have not entered the epoch may answer for their slots by the one before.
    @Test func inANewEpochSlotsAreServedOnceEveryHolderHasEnteredIt() throws {
        var cluster = try served()
        cluster.core.openEpoch(behind: Epoch(4))
        cluster.tick()
        #expect(try told(&cluster).isEmpty)
        acknowledge(&cluster, nodes: 1...1)
        #expect(try told(&cluster).isEmpty)
        acknowledge(&cluster, nodes: 2...2)
        #expect(try told(&cluster) == ["served below 1"])
    }

    // MARK: The next publisher

    /// Another publisher of the same log, with its records or without.
    private func successor(
        of cluster: borrowing Cluster, _ files: (runs: [UInt8]?, slots: [UInt8]?),
        recordsKept: Int = 10_000, in epoch: Epoch? = nil,
        change: (inout PublisherPlan) -> Void = { $0.beginsSlots = true }
    ) throws -> Cluster {
        let old = cluster.core.log
        var kept = MemoryLog(id: old.id, recordsMax: recordsKept, decode: SealedRecord.kept)
        let first = SequenceNumber.none
        let digest = try #require(old.digest(at: first))
        kept.continueHistory(
            of: old.id,
            from: LogMark(
                position: LogPosition(epoch: old.head.position.epoch, sequence: first),
                digest: digest))
        for record in old.read(after: first, limit: 10_000) ?? [] {
            try kept.append([record], expecting: kept.head)
        }
        if let epoch { kept.open(epoch) }
        var next = Cluster(nodes: 2, log: kept, outlivesItsProcess: true, change: change)
        let isReadable = next.core.resumeLives(files.runs)
        #expect(isReadable)
        next.slotsLoss = next.core.resumeSlots(files.slots)
        return next
    }

    @Test func itContinuesWithTheStoredTable() throws {
        var cluster = try served()
        cluster.tick(at: 20)
        let stored = try #require(cluster.keptSlots.last)
        var next = try successor(
            of: cluster, (cluster.keptLives.last, stored))
        let loss = next.slotsLoss
        #expect(loss == nil)
        let (old, new) = (tables(cluster), tables(next))
        #expect(old == new)
        for second in [0.0, 10, 100] { next.tick(at: second) }
        #expect(try told(&next).isEmpty)
        #expect(next.core.log.head == cluster.core.log.head)
    }

    /// A publisher that ends between any two records leaves nothing to repair, wherever the stored
    /// table stands.
    @Test func itReadsFromTheLogHowFarAChangeHasCome() throws {
        var cluster = try cluster()
        for _ in 0..<3 { cluster.tick() }
        acknowledge(&cluster, nodes: 1...2)
        let all = cluster.keptSlots
        #expect(all.count == 3, "none, the change, served")
        for stored in all {
            let next = try successor(
                of: cluster, (cluster.keptLives.last, stored))
            let loss = next.slotsLoss
            #expect(loss == nil)
            let (old, new) = (tables(cluster), tables(next))
            #expect(old == new)
        }
    }

    @Test func betweenAChangeAndItsEndItGoesOnWaiting() throws {
        var cluster = try cluster()
        for _ in 0..<3 { cluster.tick() }
        let (runs, slots) = (cluster.keptLives.last, cluster.keptSlots.last)
        var next = try successor(of: cluster, (runs, slots))
        let loss = next.slotsLoss
        #expect(loss == nil)
        next.tick()
        #expect(try told(&next).isEmpty, "nodes that were granted a lease may not know the change")
        next.tick(at: 200)
        #expect(try told(&next) == ["served below 2"])
    }

    enum Loss: CaseIterable {
        case missing, damaged, ofAnotherLog, ofABranch, ahead, ofAnEarlierEpoch, beforeTheTail

        var cause: SlotsLoss {
            switch self {
            case .missing: .missing
            case .damaged: .damaged
            case .ofAnotherLog, .ofABranch, .ahead: .notOfTheLog
            case .ofAnEarlierEpoch: .ofAnEarlierEpoch
            case .beforeTheTail: .beforeRetention
            }
        }
    }

    @Test(arguments: Loss.allCases)
    func withoutATableOfTheLogItBeginsANewEpoch(loss: Loss) throws {
        var cluster = try served()
        for _ in 0..<5 { cluster.invalidate(.none); cluster.tick() }
        let head = cluster.core.log.head
        let known = tables(cluster)
        let table = try #require(known)
        var stored = StoredSlots(log: cluster.core.log.id, mark: head, table: table)
        var recordsKept = 10_000
        var epoch: Epoch?
        switch loss {
        case .missing, .damaged: break
        case .ofAnotherLog: stored = StoredSlots(log: LogID(7), mark: head, table: table)
        case .ofABranch:
            let mark = LogMark(position: head.position, digest: LogDigest(1))
            stored = StoredSlots(log: stored.log, mark: mark, table: table)
        case .ahead:
            let mark = LogMark(position: head.position.next, digest: head.digest)
            stored = StoredSlots(log: stored.log, mark: mark, table: table)
        case .ofAnEarlierEpoch: epoch = Epoch(3)
        case .beforeTheTail:
            let first = SequenceNumber(2)
            let digest = try #require(cluster.core.log.digest(at: first))
            let mark = LogMark(position: .at(2), digest: digest)
            stored = StoredSlots(log: stored.log, mark: mark, table: table)
            recordsKept = 2
        }
        var bytes: [UInt8]? = stored.bytes
        if loss == .missing { bytes = nil }
        if loss == .damaged { bytes?[50] ^= 1 }
        var next = try successor(
            of: cluster, (cluster.keptLives.last, bytes), recordsKept: recordsKept,
            in: epoch)
        let cause = next.slotsLoss
        #expect(cause == loss.cause)
        let opened = epoch.map { $0.next } ?? Epoch(2)
        #expect(next.core.log.head.position == LogPosition(epoch: opened, sequence: .none))
        next.tick(at: 200)
        for number: UInt8 in 1...2 { try next.hello(number) }
        for second in 200..<206 {
            next.second = Double(second)
            try next.renewLeases()
            next.tick()
        }
        let counts = slotCounts(next)
        #expect(counts == [8_192, 8_192])
        let unserved = tables(next)?.unserved
        #expect(unserved == nil)
    }

    /// Either of both files says that slots are in force.
    @Test func aLostTableOfRunsDoesNotHideTheSlots() throws {
        var cluster = try served()
        cluster.tick(at: 20)
        for runs: [UInt8]? in [nil, cluster.keptLives.first] {
            let next = try successor(
                of: cluster, (runs, cluster.keptSlots.last))
            let loss = next.slotsLoss
            #expect(loss == nil)
            let (old, new) = (tables(cluster), tables(next))
            #expect(old == new)
        }
    }

    // MARK: Storing

    @Test func aTableThatCannotBeStoredIsTriedAgain() throws {
        var cluster = try served()
        cluster.isDiskFull = true
        cluster.core.configurationChanged(to: plan(weights: [1_000, 3_000]), now: cluster.now)
        cluster.tick()
        #expect(try told(&cluster) == ["change"])
        let count = cluster.keptSlots.count
        cluster.isDiskFull = false
        cluster.tick()
        #expect(cluster.keptSlots.count == count, "not at once")
        cluster.tick(at: cluster.second + 1.5)
        #expect(cluster.keptSlots.count == count + 1)
        let left = cluster.core.slotsToKeep
        #expect(left == nil)
    }

    /// Else a start would have to read the whole log, and retention could remove its mark.
    @Test func theTableIsStoredAgainBeforeManyRecordsLieAfterIt() throws {
        var cluster = try served()
        cluster.tick(at: 20)
        let before = cluster.keptSlots.count
        for number in 0..<1_000 {
            cluster.invalidate(.none, operation: UInt64(number + 1))
            cluster.tick()
        }
        let stored = cluster.keptSlots.compactMap { StoredSlots(reading: $0) }
        #expect(stored.count > before && stored.count <= before + 12)
        let mark = try #require(stored.last?.mark.position.sequence.rawValue)
        #expect(mark * 2 >= cluster.core.log.head.position.sequence.rawValue)
    }

    /// The bytes after the stored mark are still there.
    @Test func aTableThatIsDueForManyBytesAndCannotBeStoredIsTriedAgain() throws {
        let log = SlowLog(
            MemoryLog(id: LogID(1), decode: SealedRecord.kept), outlivesItsProcess: true)
        var standing = log
        standing.continueHistory(of: LogID(1), from: .at(4))
        let table = SlotTable(beginningOf: Epoch(1))
        var slots = PublishedSlots(continuing: table, kept: standing.head.position)
        let record = try SealedRecord(
            sealing: InvalidationRecord(
                position: .at(5), previousDigest: LogDigest(1), operation: .none, strength: .hard,
                scopes: [Scope(.everything)]))
        let few = PublisherLimits.slotsBytesBehindMax / record.bytes.count
        slots.note(Array(repeating: record, count: few))
        let start = Instant(nanoseconds: 0)
        var due = slots.storingDue(for: standing, turnEndedAt: start)
        #expect(due == nil)
        slots.note([record])
        let bytes = slots.takeUnstored(for: standing, now: start, turnEndedAt: start)
        #expect(bytes != nil)
        slots.stored(isFailed: true, now: start)
        due = slots.storingDue(for: standing, turnEndedAt: start)
        #expect(due == start.advanced(by: PublisherLimits.livesRetry))
    }

    @Test func damagedBytesAreNoTable() throws {
        let cluster = try served()
        let known = tables(cluster)
        let table = try #require(known)
        let bytes = StoredSlots(
            log: LogID(1), mark: cluster.core.log.head, table: table
        ).bytes
        let again = try #require(StoredSlots(reading: bytes))
        #expect(again.table == table && again.mark == cluster.core.log.head)
        for count in 0..<bytes.count {
            #expect(StoredSlots(reading: Array(bytes[..<count])) == nil)
        }
        for offset in bytes.indices {
            var damaged = bytes
            damaged[offset] ^= 1 << UInt8(offset % 8)
            #expect(StoredSlots(reading: damaged) == nil, "byte \(offset)")
        }
    }
}
