import CacheInvalidation
import CacheModel
import CacheWire
import Testing

@testable import PublisherCore

/// Who the members are, as the log says it: docs/decisions/0084.
@Suite struct PublishingCoreMembershipTests {
    private func plan(_ names: String...) -> PublisherPlan {
        PublisherPlan(nodes: names.compactMap { NodeID($0) }.map { .init(id: $0, shards: 1) })
    }

    private func configure(_ cluster: inout Cluster, _ names: [String]) {
        cluster.core.configurationChanged(
            to: PublisherPlan(
                nodes: names.compactMap { NodeID($0) }.map { .init(id: $0, shards: 1) }),
            now: cluster.now)
        cluster.tick()
    }

    /// The members records that were broadcast since: who they name, and whether they are settled.
    private func told(_ cluster: inout Cluster) throws -> [String] {
        defer { cluster.forget() }
        return try cluster.recordsSent.compactMap { $0.record.scopes.first?.membership }.map {
            let names = $0.members?.map(\.node.name).joined(separator: " ") ?? "many"
            return "\(names)\($0.isSettled ? "" : ", moving")"
        }
    }

    private func note(_ cluster: inout Cluster) throws -> MembersNote? {
        cluster.forget()
        cluster.send(from: 90) { writer in
            MessageWriter(.topology, requestID: 8, into: &writer).finish(&writer, count: 0)
        }
        return try cluster.hear(90, .topologyReport) { $0.fields.members }
    }

    @Test func membershipSettlesWithoutARecordOnceEveryNodeRegisters() throws {
        var cluster = Cluster(nodes: 2)
        cluster.tick()
        #expect(try note(&cluster)?.isSettled == false)
        try cluster.hello(1)
        cluster.tick()
        #expect(try note(&cluster)?.isSettled == false)
        try cluster.hello(2)
        cluster.tick()
        cluster.tick()
        #expect(try note(&cluster)?.isSettled == true)
        #expect(cluster.core.log.head.position.sequence == .none)
    }

    @Test func aNodeThatNeverGreetsIsWaitedForALease() throws {
        var cluster = Cluster(nodes: 2)
        try cluster.hello(1)
        cluster.tick(at: 3)
        #expect(try note(&cluster)?.isSettled == false)
        cluster.tick(at: 3.1)
        cluster.tick()
        #expect(try note(&cluster)?.isSettled == true)
    }

    /// With its log in memory a publisher does not know what its predecessor granted.
    @Test func membershipStaysUnsettledWhileAnUnheardNodeMayHoldALease() throws {
        var cluster = Cluster(nodes: 2, inheritedLease: nil)
        try cluster.hello(1)
        cluster.tick(at: 3.1)
        cluster.tick(at: 60.5)
        #expect(try note(&cluster)?.isSettled == false)
        cluster.tick(at: 60.7)
        cluster.tick()
        #expect(try note(&cluster)?.isSettled == true)
    }

    @Test func aChangeIsSettledOnceEveryHolderHasObeyedIt() throws {
        var cluster = try Cluster.live(nodes: 2)
        cluster.forget()
        configure(&cluster, ["n1", "n2", "n3"])
        #expect(try told(&cluster) == ["n1 n2 n3, moving"])
        #expect(try note(&cluster)?.isSettled == false)
        let moving = cluster.core.log.head
        cluster.ack(1, at: moving)
        cluster.tick()
        #expect(try told(&cluster).isEmpty)
        cluster.ack(2, at: moving)
        cluster.tick()
        #expect(try told(&cluster) == ["n1 n2 n3"])
        #expect(try note(&cluster)?.isSettled == true)
        #expect(try note(&cluster)?.asOf == cluster.core.log.head.position)
    }

    @Test func membershipWaitsForASilentRemovedNodeUntilItsGrantEnds() throws {
        var cluster = try Cluster.live(nodes: 2)
        configure(&cluster, ["n1"])
        cluster.ack(1, at: cluster.core.log.head)
        cluster.tick()
        #expect(try told(&cluster) == ["n1, moving"], "n2 was taken out, and has a lease")
        cluster.tick(at: 14)
        #expect(try told(&cluster) == ["n1"])
    }

    @Test func aRemovedNodeEndsTheWaitByAcknowledgingOrLeaving() throws {
        for leaves in [false, true] {
            var cluster = try Cluster.live(nodes: 2)
            configure(&cluster, ["n1"])
            cluster.ack(1, at: cluster.core.log.head)
            if leaves {
                cluster.send(from: 2) {
                    Bye(incarnation: Incarnation(2)).encode(requestID: 0, into: &$0)
                }
            } else {
                cluster.ack(2, at: cluster.core.log.head)
            }
            cluster.tick()
            #expect(try told(&cluster) == ["n1, moving", "n1"])
        }
    }

    @Test func aSecondMembershipChangeSupersedesAnUnsettledFirst() throws {
        var cluster = try Cluster.live(nodes: 2)
        configure(&cluster, ["n1", "n2", "n3"])
        configure(&cluster, ["n1", "n2", "n4"])
        #expect(try told(&cluster) == ["n1 n2 n3, moving", "n1 n2 n4, moving"])
        cluster.ack(1, at: cluster.core.log.head)
        cluster.ack(2, at: cluster.core.log.head)
        cluster.tick()
        #expect(try told(&cluster) == ["n1 n2 n4"])
    }

    @Test func aReloadWithoutMemberChangesAppendsNothing() throws {
        var cluster = try Cluster.live(nodes: 2)
        configure(&cluster, ["n1", "n2"])
        #expect(try told(&cluster).isEmpty)
        #expect(try note(&cluster)?.isSettled == true)
    }

    @Test func anotherKindOfClusterHidesEverything() throws {
        var cluster = try Cluster.live(nodes: 2)
        cluster.forget()
        var replicated = plan("n1", "n2")
        replicated.kind = .replicated
        cluster.core.configurationChanged(to: replicated, now: cluster.now)
        cluster.tick()
        #expect(try cluster.recordsSent.map(\.record.scopes) == [[Scope(.everything)]])
        #expect(try note(&cluster) == nil)
        cluster.core.configurationChanged(to: plan("n1", "n2"), now: cluster.now)
        cluster.tick()
        #expect(try told(&cluster) == ["n1 n2, moving"])
    }

    @Test func aRecordThatTheLogRefusesIsTriedAgain() throws {
        var cluster = try Cluster.live(nodes: 1)
        cluster.forget()
        cluster.core.log.isSlow = true
        configure(&cluster, ["n1", "n2"])
        try cluster.finishAppend(refusedBy: .storage("full"))
        cluster.core.log.isSlow = false
        cluster.tick()
        #expect(try told(&cluster).isEmpty, "not at once")
        cluster.tick(at: 12)
        #expect(try told(&cluster) == ["n1 n2, moving"])
    }

    // MARK: Restarts

    /// Another publisher of the same log, with other nodes perhaps.
    private func successor(
        of cluster: borrowing Cluster, finding book: [UInt8]?, nodes: Int = 2,
        in epoch: Epoch? = nil, kind: TopologyReport.Kind = .sharded
    ) -> Cluster {
        var kept = MemoryLog(id: cluster.core.log.id, decode: SealedRecord.kept)
        kept.continueHistory(of: cluster.core.log.id, from: cluster.core.log.head)
        if let epoch { kept.open(epoch) }
        var next = Cluster(nodes: nodes, log: kept, outlivesItsProcess: true) { $0.kind = kind }
        _ = next.core.resumeLives(book)
        return next
    }

    private func durable(_ nodes: Int = 2) throws -> Cluster {
        var cluster = try Cluster.live(nodes: nodes, outlivesItsProcess: true)
        cluster.tick()
        cluster.tick()
        return cluster
    }

    @Test func aPublisherThatIsStartedAgainWithTheSameMembersAppendsNothing() throws {
        var cluster = try durable()
        cluster.invalidate(.all, timeout: 0)
        cluster.tick()
        var next = successor(of: cluster, finding: cluster.keptLives.last, nodes: 2)
        next.tick()
        #expect(try note(&next)?.isSettled == true)
        #expect(try told(&next).isEmpty)
    }

    @Test func oneThatIsStartedWithOthersSaysSoInTheLog() throws {
        var cluster = try durable()
        var next = successor(of: cluster, finding: cluster.keptLives.last, nodes: 3)
        next.tick()
        next.tick()
        #expect(try told(&next) == ["n1 n2 n3, moving"])
        cluster.forget()
    }

    @Test func theBookSaysThatKeysMoveBeforeTheLogDoes() throws {
        var cluster = try durable()
        cluster.isKeepingLivesSlow = true
        cluster.forget()
        configure(&cluster, ["n1", "n2", "n3"])
        cluster.tick()
        #expect(try told(&cluster).isEmpty)
        // Started again with the members of before: the log may have said otherwise by then.
        var next = successor(of: cluster, finding: cluster.keptLives.last, nodes: 2)
        next.tick()
        next.tick()
        #expect(try told(&next) == ["n1 n2, moving"])
        cluster.finishKeepingLives()
        cluster.tick()
        #expect(try told(&cluster) == ["n1 n2 n3, moving"])
    }

    @Test func withoutARunFileMembersAreRecordedOnceOldLeasesEnd() throws {
        var cluster = try durable()
        cluster.invalidate(.all, timeout: 0)
        cluster.tick()
        var next = successor(of: cluster, finding: nil, nodes: 2)
        try next.hello(1, at: next.core.log.head)
        try next.hello(2, at: next.core.log.head)
        next.tick(at: 2)
        #expect(try told(&next).isEmpty)
        next.tick(at: 3.1)
        next.tick()
        #expect(try told(&next) == ["n1 n2, moving", "n1 n2"])
    }

    /// A directory was restored: what its book says of leases is of its own time.
    @Test func aNewEpochOnDiskSettlesMembersByRecords() throws {
        var cluster = try durable()
        cluster.invalidate(.all, timeout: 0)
        cluster.tick()
        let before = cluster.core.log
        var next = successor(of: cluster, finding: cluster.keptLives.last, in: Epoch(2))
        for node in [UInt8(1), 2] {
            try next.hello(node, incarnation: 60 + UInt64(node), log: before.id, at: before.head)
        }
        next.tick(at: 1)
        #expect(try note(&next)?.isSettled == false, "other runs may hold leases")
        next.tick(at: 3.1)
        next.tick()
        #expect(try told(&next) == ["n1 n2, moving", "n1 n2"])
        #expect(try note(&next)?.isSettled == true)
    }

    /// The log was set back, and its book with it: members may have come and gone meanwhile.
    @Test func anEpochThatANodeMakesNecessaryUnsettlesWhatTheBookSays() throws {
        var cluster = try durable()
        cluster.invalidate(.all, timeout: 0)
        cluster.tick()
        var next = successor(of: cluster, finding: cluster.keptLives.last)
        next.tick()
        #expect(try note(&next)?.isSettled == true)
        let id = next.core.log.id
        try next.hello(1, log: id, at: .at(9))
        next.tick()
        #expect(next.core.log.head.position.epoch == Epoch(2))
        next.tick()
        #expect(try note(&next)?.isSettled == false)
        next.tick(at: 3.1)
        next.tick()
        #expect(try told(&next).first == "n1 n2, moving")
    }

    /// They hide everything at records that they cannot read, or stop there, and check nothing.
    @Test func anEpochAppendsNoMemberRecordsForOlderNodes() throws {
        var cluster = try durable()
        cluster.invalidate(.all, timeout: 0)
        cluster.tick()
        var next = successor(of: cluster, finding: cluster.keptLives.last)
        let ours = ClusterID(0xC0FFEE)
        next.core.setCluster(kept: KeptCluster(ours, in: Epoch(1)), fresh: ours)
        next.tick()
        let id = next.core.log.id
        for node in [UInt8(1), 2] { try next.hello(node, log: id, at: .at(9)) }
        next.tick()
        #expect(next.core.log.head.position.epoch == Epoch(2))
        next.tick(at: 3.1)
        next.tick()
        #expect(try told(&next).isEmpty)
        #expect(try note(&next)?.isSettled == true)
    }

    @Test func aMemoryPublisherStartedWithOtherMembersSettlesThemByRecords() throws {
        var cluster = Cluster(nodes: 3, inheritedLease: nil)
        for node in [UInt8(1), 2] { try cluster.hello(node, log: LogID(7), at: .at(500)) }
        try cluster.hello(3)
        cluster.tick()
        #expect(try told(&cluster) == ["n1 n2 n3, moving"])
        #expect(try note(&cluster)?.isSettled == false)
        let moving = cluster.core.log.head
        cluster.ack(1, at: moving)
        cluster.tick()
        #expect(try told(&cluster).isEmpty, "n2 may have a lease, and the members of before")
        cluster.ack(2, at: moving)
        cluster.tick()
        #expect(try told(&cluster) == ["n1 n2 n3"])
        #expect(try note(&cluster)?.isSettled == true)
    }

    /// It would hide everything at records that it cannot read, and has no members in force.
    @Test func nodesOfAReleaseBeforeAreNoReasonForRecords() throws {
        var cluster = Cluster(nodes: 2)
        cluster.core.setCluster(kept: nil, fresh: ClusterID(0xC0FFEE))
        for node in [UInt8(1), 2] { try cluster.hello(node, log: LogID(7), at: .at(500)) }
        cluster.tick()
        cluster.tick()
        #expect(try told(&cluster).isEmpty)
        #expect(try note(&cluster)?.isSettled == true)
    }

    /// Its successor of this release knows the list of now alone.
    @Test func aReloadRightAfterAnUpgradeIsToldByRecords() throws {
        var cluster = try durable()
        cluster.invalidate(.all, timeout: 0)
        cluster.tick()
        let book = RunTable(resuming: [:], nil).stored(
            for: cluster.core.log.id, in: cluster.core.log.head.position.epoch)
        var next = successor(of: cluster, finding: book)
        try next.hello(1, at: next.core.log.head)
        try next.hello(2, at: next.core.log.head)
        configure(&next, ["n1", "n2", "n3"])
        next.tick(at: 3.1)
        next.tick()
        #expect(try told(&next).first == "n1 n2 n3, moving")
    }

    /// A record of members took the place of what the book said, and it was believed all the same:
    /// it may know nothing of a run with a lease.
    @Test func aForcedEpochUnsettlesMembersSettledFromTheRunFile() throws {
        var cluster = try durable()
        cluster.invalidate(.all, timeout: 0)
        cluster.tick()
        var next = successor(of: cluster, finding: cluster.keptLives.last, nodes: 3)
        for node in [UInt8(1), 2, 3] { try next.hello(node, at: next.core.log.head) }
        next.tick(at: 3.1)
        for node in [UInt8(1), 2, 3] { next.ack(node, at: next.core.log.head) }
        next.tick()
        next.tick()
        #expect(try told(&next).last == "n1 n2 n3")
        try next.hello(1, incarnation: 77, log: next.core.log.id, at: .at(99))
        next.tick()
        #expect(next.core.log.head.position.epoch == Epoch(2))
        next.tick()
        next.tick()
        #expect(try told(&next).first == "n1 n2 n3, moving")
    }

    // MARK: Being told

    @Test func theMembershipHoldNamesUnheardNodesAndItsEnd() throws {
        var cluster = Cluster(nodes: 3, inheritedLease: nil)
        try cluster.hello(1)
        cluster.tick()
        let hold = cluster.core.membersHold(at: cluster.now)
        #expect(hold?.nodes.map(\.name) == ["n2", "n3"])
        #expect(hold?.end == .seconds(Cluster.start + 60.6))
        try cluster.hello(2)
        try cluster.hello(3)
        cluster.tick()
        cluster.tick()
        let over = cluster.core.membersHold(at: cluster.now)
        #expect(over == nil)
    }

    /// Leases of an earlier publisher are over, but no node has come.
    @Test func everyNodeIsWaitedForUntilTheFirstGreets() throws {
        var cluster = Cluster(nodes: 2)
        cluster.tick(at: 5)
        let hold = cluster.core.membersHold(at: cluster.now)
        #expect(hold?.nodes.map(\.name) == ["n1", "n2"] && hold?.end == nil)
        configure(&cluster, [])
        let none = cluster.core.membersHold(at: cluster.now)
        #expect(none == nil, "no node is configured")
    }

    @Test func theMembershipHoldNamesNodesThatHaveNotApplied() throws {
        var cluster = try Cluster.live(nodes: 2)
        configure(&cluster, ["n1", "n2", "n3"])
        cluster.ack(1, at: cluster.core.log.head)
        cluster.tick()
        let hold = cluster.core.membersHold(at: cluster.now)
        #expect(hold?.nodes.map(\.name) == ["n2"])
    }

    // MARK: Kinds

    private func scopesTold(_ cluster: inout Cluster) throws -> [ScopeList] {
        defer { cluster.forget() }
        return try cluster.recordsSent.map(\.record.scopes)
    }

    @Test func aKindThatChangesAtARestartHidesEverything() throws {
        let sharded = try durable()
        var replicated = successor(
            of: sharded, finding: sharded.keptLives.last, kind: .replicated)
        replicated.tick()
        replicated.tick()
        #expect(try scopesTold(&replicated) == [[Scope(.everything)]])
        replicated.tick()
        var again = successor(
            of: replicated, finding: replicated.keptLives.last, kind: .replicated)
        again.tick()
        again.tick()
        #expect(try scopesTold(&again).isEmpty, "the kind is that of before")
        var back = successor(of: replicated, finding: replicated.keptLives.last)
        back.tick()
        back.tick()
        let told = try scopesTold(&back)
        #expect(told.first == [Scope(.everything)])
        #expect(told.last?.first?.membership?.isSettled == false)
    }

    @Test func aKindThatWasChangedBeforeACrashHidesEverything() throws {
        var cluster = try durable()
        cluster.invalidate(.all, timeout: 0)
        cluster.tick()
        cluster.isKeepingLivesSlow = true
        cluster.forget()
        var replicated = plan("n1", "n2")
        replicated.kind = .replicated
        cluster.core.configurationChanged(to: replicated, now: cluster.now)
        cluster.tick()
        #expect(try scopesTold(&cluster).isEmpty, "the book says first that the kind changes")
        // Killed, and started with the kind of before.
        var next = successor(of: cluster, finding: cluster.keptLives.last)
        next.tick()
        next.tick()
        #expect(try scopesTold(&next).first == [Scope(.everything)])
        cluster.finishKeepingLives()
        cluster.tick()
        #expect(try scopesTold(&cluster) == [[Scope(.everything)]])
    }

    @Test func repeatedRestartsBeforeSettlementHideEverythingOnce() throws {
        var cluster = try durable()
        cluster.invalidate(.all, timeout: 0)
        cluster.tick()
        var next = successor(of: cluster, finding: nil)
        next.tick(at: 3.1)
        next.tick()
        #expect(try scopesTold(&next).first == [Scope(.everything)])
        next.tick()
        var again = successor(of: next, finding: next.keptLives.last)
        again.tick()
        again.tick()
        let told = try scopesTold(&again)
        #expect(told.count == 1 && told.first?.first?.membership?.isSettled == false)
    }

    /// A node that is told goes on with what it has, and its log has not said that it is hidden.
    @Test func aReplicatedTopologyIsWithheldUntilTheLogHidesEverything() throws {
        var cluster = try durable()
        cluster.isKeepingLivesSlow = true
        var replicated = plan("n1", "n2")
        replicated.kind = .replicated
        cluster.core.configurationChanged(to: replicated, now: cluster.now)
        cluster.tick()
        func ask(_ cluster: inout Cluster) {
            cluster.forget()
            cluster.send(from: 90) { writer in
                MessageWriter(.topology, requestID: 8, into: &writer).finish(&writer, count: 0)
            }
        }
        ask(&cluster)
        #expect(try cluster.error(to: 90).knownCode == .busy)
        #expect(try cluster.ping(1, at: cluster.core.log.head).leaseMilliseconds == 0)
        cluster.finishKeepingLives()
        cluster.tick()
        #expect(try cluster.ping(1, at: cluster.core.log.head).leaseMilliseconds == 3_000)
        ask(&cluster)
        #expect(cluster.order == [.topologyReport])
    }

    @Test func withoutARunFileAReplicatedClusterHidesEverything() throws {
        var cluster = try durable()
        cluster.invalidate(.all, timeout: 0)
        cluster.tick()
        var next = successor(of: cluster, finding: nil, kind: .replicated)
        next.tick()
        next.tick()
        #expect(try scopesTold(&next) == [[Scope(.everything)]])
    }
}
