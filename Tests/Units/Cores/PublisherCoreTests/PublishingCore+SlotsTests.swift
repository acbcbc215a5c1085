import CacheInvalidation
import CacheModel
import CacheWire
import Testing

@testable import PublisherCore

/// Slots that the log assigns, from the first record to the next publisher: docs/decisions/0120.
@Suite struct PublishingCoreSlotsTests {
    /// A live cluster with a lasting log whose log is to assign slots.
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
        let table = cluster.core.slotTable
        #expect(table != nil && table?.unserved == nil)
        cluster.forget()
        return cluster
    }

    private func tables(_ cluster: borrowing Cluster) -> SlotTable? { cluster.core.slotTable }

    private func slotCounts(_ cluster: borrowing Cluster) -> [Int] {
        let owners = cluster.core.slotTable?.owners ?? []
        return Dictionary(grouping: owners.compactMap(\.self), by: \.member).sorted {
            $0.key < $1.key
        }.map(\.value.count)
    }

    // MARK: Records

    @Test func theFirstRecordWaitsUntilTheTableOfRunsNamesSlots() throws {
        var cluster = Cluster(nodes: 2, outlivesItsProcess: true) { $0.beginsSlots = true }
        cluster.isKeepingLivesSlow = true
        for number: UInt8 in 1...2 { try cluster.hello(number) }
        for second in [0.0, 10, 11, 12] { cluster.tick(at: second) }
        #expect(try told(&cluster).isEmpty && cluster.keptSlots.count == 1)
        // What is being stored is of before; what is stored next names slots.
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
        for second in [0.0, 10, 11, 12] { cluster.tick(at: second) }
        #expect(try told(&cluster).isEmpty)
        cluster.isDiskFull = false
        for second in [14.0, 15] { cluster.tick(at: second) }
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
        let before = cluster.core.slotTable?.owners ?? []
        var plan = PublisherPlan(
            nodes: (1...3).compactMap { NodeID("n\($0)") }.map { .init(id: $0, shards: 1) })
        plan.beginsSlots = true
        cluster.core.configurationChanged(to: plan, now: cluster.now)
        cluster.tick()
        #expect(try told(&cluster) == ["change"], "and no record of members")
        let after = cluster.core.slotTable?.owners ?? []
        let counts = slotCounts(cluster)
        #expect(counts.sorted() == [5_461, 5_461, 5_462])
        #expect(zip(before, after).count { $0 != $1 } == counts[2])
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
        of cluster: borrowing Cluster, runs: [UInt8]?, slots: [UInt8]?,
        recordsKept: Int = 10_000, in epoch: Epoch? = nil
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
        var next = Cluster(nodes: 2, log: kept, outlivesItsProcess: true) {
            $0.beginsSlots = true
        }
        let isReadable = next.core.resumeLives(runs)
        #expect(isReadable)
        next.areSlotsResumed = next.core.resumeSlots(slots)
        return next
    }

    @Test func itContinuesWithTheStoredTable() throws {
        var cluster = try served()
        cluster.tick(at: 20)
        let stored = try #require(cluster.keptSlots.last)
        var next = try successor(
            of: cluster, runs: cluster.keptLives.last, slots: stored)
        let isResumed = next.areSlotsResumed
        #expect(isResumed)
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
                of: cluster, runs: cluster.keptLives.last, slots: stored)
            let isResumed = next.areSlotsResumed
            #expect(isResumed)
            let (old, new) = (tables(cluster), tables(next))
            #expect(old == new)
        }
    }

    @Test func betweenAChangeAndItsEndItGoesOnWaiting() throws {
        var cluster = try cluster()
        for _ in 0..<3 { cluster.tick() }
        let (runs, slots) = (cluster.keptLives.last, cluster.keptSlots.last)
        var next = try successor(of: cluster, runs: runs, slots: slots)
        let isResumed = next.areSlotsResumed
        #expect(isResumed)
        next.tick()
        #expect(try told(&next).isEmpty, "nodes that were granted a lease may not know the change")
        next.tick(at: 200)
        #expect(try told(&next) == ["served below 2"])
    }

    enum Loss: CaseIterable {
        case missing, damaged, ofAnotherLog, ofABranch, ahead, ofAnEarlierEpoch, beforeTheTail
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
            of: cluster, runs: cluster.keptLives.last, slots: bytes, recordsKept: recordsKept,
            in: epoch)
        let isResumed = next.areSlotsResumed
        #expect(!isResumed)
        let opened = epoch.map { $0.next } ?? Epoch(2)
        #expect(next.core.log.head.position == LogPosition(epoch: opened, sequence: .none))
        for second in 200..<206 { next.tick(at: Double(second)) }
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
                of: cluster, runs: runs, slots: cluster.keptSlots.last)
            let isResumed = next.areSlotsResumed
            #expect(isResumed)
            let (old, new) = (tables(cluster), tables(next))
            #expect(old == new)
        }
    }

    // MARK: Storing

    @Test func aTableThatCannotBeStoredIsTriedAgain() throws {
        var cluster = try cluster()
        cluster.isDiskFull = true
        cluster.tick()
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
