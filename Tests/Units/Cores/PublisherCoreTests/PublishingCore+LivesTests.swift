import CacheInvalidation
import CacheModel
import CacheWire
import PublisherCore
import Testing

/// What WELCOME says of the run before, and what is kept of it: docs/decisions/0034.
@Suite struct PublishingCoreLivesTests {
    /// Greets as another run of n1, and answers with which one it is told of.
    private func greet(_ incarnation: UInt64, _ cluster: inout Cluster) throws -> UInt64 {
        cluster.forget()
        try cluster.hello(1, incarnation: incarnation)
        return try cluster.hear(1, .welcome) { try Welcome(decoding: $0) }.previousRun.rawValue
    }

    private func lease(_ incarnation: UInt64, _ cluster: inout Cluster) throws -> UInt32 {
        try cluster.ping(1, incarnation: incarnation, at: cluster.core.log.head)
            .leaseMilliseconds
    }

    /// One node, n1, whose run 1 has a lease.
    private func durable(slow: Bool = true) throws -> Cluster {
        var cluster = try Cluster.live(nodes: 1, outlivesItsProcess: true)
        cluster.isKeepingLivesSlow = slow
        return cluster
    }

    /// Another publisher, of the same log, that finds this file.
    private func successor(of cluster: borrowing Cluster, finding file: [UInt8]) -> Cluster {
        var kept = MemoryLog(id: cluster.core.log.id, decode: SealedRecord.kept)
        kept.continueHistory(of: cluster.core.log.id, from: cluster.core.log.head)
        var next = Cluster(nodes: 1, log: kept, outlivesItsProcess: true)
        let isRead = next.core.resumeLives(file)
        #expect(isRead)
        return next
    }

    private func pongs(_ cluster: inout Cluster) throws -> [UInt32] {
        try cluster.hear(1).filter { $0[3] == MessageType.pong.rawValue }.map { frame in
            try Cluster.decode(frame) { try Pong(decoding: $0.body) }.leaseMilliseconds
        }
    }

    @Test func aWelcomeNamesTheLastRunWithALease() throws {
        var cluster = try Cluster.live(nodes: 1)
        #expect(try greet(1, &cluster) == 0)
        #expect(try greet(2, &cluster) == 1)
        #expect(try greet(3, &cluster) == 1, "2 has stored nothing that anybody was told is fresh")
        #expect(try lease(3, &cluster) == 3_000)
        #expect(try greet(3, &cluster) == 1)
        #expect(try greet(4, &cluster) == 3)
    }

    /// Run 2 hangs between its WELCOME and its first lease, and run 3 stores values meanwhile: what
    /// run 2 has of run 1 is not whole any more.
    @Test func aRunThatAnotherOneOvertookHasToGreetAgainBeforeItsFirstLease() throws {
        var cluster = try Cluster.live(nodes: 1)
        #expect(try greet(2, &cluster) == 1)
        #expect(try greet(3, &cluster) == 1)
        #expect(try lease(3, &cluster) == 3_000)
        cluster.forget()
        cluster.sendPing(1, incarnation: 2, at: cluster.core.log.head)
        cluster.tick(at: 10.5)
        let error = try cluster.hear(1, .error) { try ErrorReply(decoding: $0) }
        #expect(error.knownCode == .notRegistered)
        #expect(try greet(2, &cluster) == 3)
        #expect(try lease(2, &cluster) == 3_000)
    }

    @Test func aNodeThatIsForgottenHasNoPast() throws {
        var cluster = try Cluster.live(nodes: 1)
        cluster.tick(at: 20)
        let node = try #require(NodeID("n1"))
        cluster.send(from: 90) { NodeOrder(.forget, node).encode(requestID: 8, into: &$0) }
        #expect(try greet(2, &cluster) == 0)
    }

    @Test func aMemoryLogGrantsLeasesWithoutPersistingRuns() throws {
        var cluster = try Cluster.live(nodes: 1)
        _ = try greet(2, &cluster)
        #expect(try lease(2, &cluster) == 3_000)
        #expect(cluster.keptLives.isEmpty)
        let left = cluster.core.livesToKeep
        #expect(left == nil)
    }

    @Test func aNewRunGetsItsFirstLeaseOnceTheDiskNamesIt() throws {
        var cluster = try durable()
        _ = try greet(2, &cluster)
        cluster.sendPing(1, incarnation: 2, at: cluster.core.log.head)
        cluster.tick(at: 10.5)
        #expect(try pongs(&cluster).isEmpty)
        #expect(cluster.keptLives.count == 3, "the members, run 1, and this")
        cluster.finishKeepingLives()
        #expect(try pongs(&cluster) == [3_000])
        #expect(try lease(2, &cluster) == 3_000, "and from now on at once")
        #expect(cluster.keptLives.count == 3)
        var next = successor(of: cluster, finding: try #require(cluster.keptLives.last))
        #expect(try greet(2, &next) == 1)
        next.isKeepingLivesSlow = true
        #expect(try lease(2, &next) == 3_000, "one that the disk names waits for nothing")
        #expect(try greet(3, &next) == 2)
    }

    @Test func theHeadIsToldAtOnceWhateverTheDiskDoes() throws {
        var cluster = try durable()
        _ = try greet(2, &cluster)
        let pong = try cluster.ping(
            1, incarnation: 2, at: cluster.core.log.head, purpose: .head)
        #expect(pong.leaseMilliseconds == 0 && cluster.keptLives.count == 2)
    }

    @Test func aRunAtTheWrongMarkIsAnsweredWithoutALease() throws {
        var cluster = try durable()
        _ = try greet(2, &cluster)
        #expect(try cluster.ping(1, incarnation: 2, at: .none).leaseMilliseconds == 0)
        #expect(cluster.keptLives.count == 2)
    }

    /// Else a slow disk would look like a publisher that is gone.
    @Test func aRepeatedPingDuringPersistenceIsAnsweredWithoutALease() throws {
        var cluster = try durable()
        _ = try greet(2, &cluster)
        cluster.forget()
        cluster.sendPing(1, incarnation: 2, at: cluster.core.log.head)
        cluster.sendPing(1, incarnation: 2, at: cluster.core.log.head)
        #expect(try pongs(&cluster) == [0])
        cluster.finishKeepingLives()
        #expect(try pongs(&cluster) == [3_000])
    }

    @Test func oneThatLeftMeanwhileIsGrantedNothing() throws {
        var cluster = try durable()
        _ = try greet(2, &cluster)
        cluster.forget()
        cluster.sendPing(1, incarnation: 2, at: cluster.core.log.head)
        cluster.send(from: 1) { Bye(incarnation: Incarnation(2)).encode(requestID: 0, into: &$0) }
        cluster.finishKeepingLives()
        #expect(try pongs(&cluster).isEmpty)
    }

    @Test func aRunRegisteredDuringAWriteWaitsForTheNextWrite() throws {
        var cluster = try durable()
        _ = try greet(2, &cluster)
        cluster.sendPing(1, incarnation: 2, at: cluster.core.log.head)
        _ = try greet(3, &cluster)
        cluster.sendPing(1, incarnation: 3, at: cluster.core.log.head)
        cluster.forget()
        cluster.finishKeepingLives()
        #expect(try pongs(&cluster) == [], "2 is not the newest of its node, and left")
        cluster.tick()
        #expect(cluster.keptLives.count == 4)
        cluster.finishKeepingLives()
        #expect(try pongs(&cluster) == [3_000])
    }

    // MARK: A disk that fails

    @Test func whereTheFileCouldBeRemovedTheLeaseIsGranted() throws {
        var cluster = try durable()
        _ = try greet(2, &cluster)
        cluster.forget()
        cluster.sendPing(1, incarnation: 2, at: cluster.core.log.head)
        cluster.finishKeepingLives(refusedBy: "the disk is full", isGone: true)
        #expect(try pongs(&cluster) == [3_000])
        _ = try greet(3, &cluster)
        #expect(try lease(3, &cluster) == 3_000, "nobody is misled by a file that is not there")
        #expect(try greet(4, &cluster) == 3, "this publisher knows all the same")
        cluster.tick(at: 10.9)
        #expect(cluster.keptLives.count == 3)
        cluster.tick(at: 11)
        #expect(cluster.keptLives.count == 4, "and tries again")
        cluster.finishKeepingLives()
        var next = successor(of: cluster, finding: try #require(cluster.keptLives.last))
        #expect(try greet(4, &next) == 3)
    }

    /// What lies there names run 1, and would be believed by whoever starts next.
    @Test func whereItCouldNotBeRemovedEitherTheRunWaits() throws {
        var cluster = try durable()
        _ = try greet(2, &cluster)
        cluster.forget()
        cluster.sendPing(1, incarnation: 2, at: cluster.core.log.head)
        cluster.finishKeepingLives(refusedBy: "read-only")
        #expect(try pongs(&cluster).isEmpty)
        cluster.tick(at: 11)
        cluster.sendPing(1, incarnation: 2, at: cluster.core.log.head)
        #expect(try pongs(&cluster) == [0])
        cluster.finishKeepingLives()
        #expect(try pongs(&cluster) == [3_000])
    }

    @Test func runsThatAreNamedKeepTheirLeasesWhileTheDiskFails() throws {
        var cluster = try Cluster.live(nodes: 2, outlivesItsProcess: true)
        cluster.isKeepingLivesSlow = true
        try cluster.hello(2, incarnation: 12)
        cluster.sendPing(2, incarnation: 12, at: cluster.core.log.head)
        cluster.finishKeepingLives(refusedBy: "read-only")
        #expect(try lease(1, &cluster) == 3_000)
    }

    /// A writing that is under way may put a file where there was none.
    @Test func aFileThatIsWrittenAnewIsWaitedForAgain() throws {
        var cluster = try durable()
        _ = try greet(2, &cluster)
        cluster.sendPing(1, incarnation: 2, at: cluster.core.log.head)
        cluster.finishKeepingLives(refusedBy: "the disk is full", isGone: true)
        cluster.tick(at: 11)
        _ = try greet(3, &cluster)
        cluster.sendPing(1, incarnation: 3, at: cluster.core.log.head)
        #expect(try pongs(&cluster).isEmpty)
        cluster.finishKeepingLives(refusedBy: "the disk is full", isGone: true)
        #expect(try pongs(&cluster) == [3_000])
    }

    // MARK: Another publisher

    @Test func aFileOfAnotherLogSaysNothing() throws {
        var cluster = try durable(slow: false)
        let file = try #require(cluster.keptLives.last)
        var next = successor(of: cluster, finding: file)
        #expect(try greet(2, &next) == 1)
        var other = Cluster(
            nodes: 1, log: MemoryLog(id: LogID(0xEE), decode: SealedRecord.kept),
            outlivesItsProcess: true)
        let isRead = other.core.resumeLives(file)
        #expect(isRead)
        try other.hello(1, incarnation: 2)
        other.tick()
        #expect(
            try other.hear(1, .welcome) { try Welcome(decoding: $0) }.previousRun == .none)
        _ = try greet(2, &cluster)
    }

    /// Run 1 sleeps with its lease. What greets in its place says nothing of it.
    @Test(arguments: [false, true])
    func aReceiptWaitsForALeasedRunDespiteANewerRun(isHeard: Bool) throws {
        var cluster = try durable(slow: false)
        cluster.tick(at: 11)
        let file = try #require(cluster.keptLives.last)
        var next = successor(of: cluster, finding: file)
        _ = try greet(2, &next)
        if isHeard {
            try next.hello(1, incarnation: 1, log: next.core.log.id, at: next.core.log.head)
        }
        next.forget()
        next.invalidate(.all, timeout: 60_000)
        next.tick(at: 0.1)
        next.ack(1, incarnation: 2, at: next.core.log.head)
        next.tick(at: 0.2)
        #expect(!next.order.contains(.receipt), "run 1 may call the old value fresh")
        if isHeard {
            next.ack(1, incarnation: 1, at: next.core.log.head)
            next.tick(at: 0.3)
        } else {
            next.tick(at: 3.029)
            #expect(!next.order.contains(.receipt))
            next.tick(at: 3.03)
        }
        #expect(try next.receipt().isComplete)
    }

    /// So that a restart costs nothing where all went well: the newest run of n1 alone is waited
    /// for, and not those before it.
    @Test func aReceiptWaitsOnlyForTheNewestRunOnceEarlierLeasesEnd() throws {
        var cluster = try durable(slow: false)
        cluster.tick(at: 11)
        #expect(try greet(2, &cluster) == 1)
        #expect(try lease(2, &cluster) == 3_000)
        let early = try #require(cluster.keptLives.last)
        cluster.tick(at: 15)
        _ = try lease(2, &cluster)
        let late = try #require(cluster.keptLives.last)
        for (file, isSettled) in [(early, false), (late, true)] {
            var next = successor(of: cluster, finding: file)
            let head = next.core.log.head
            try next.hello(1, incarnation: 2, log: next.core.log.id, at: head)
            next.forget()
            next.invalidate(.all, timeout: 60_000)
            next.tick(at: 0.1)
            next.ack(1, incarnation: 2, at: next.core.log.head)
            next.tick(at: 0.2)
            #expect(next.order.contains(.receipt) == isSettled)
        }
    }

    /// Everything was stopped and is started again: the runs of before hold no lease.
    @Test(arguments: [false, true])
    func aRestartWithoutLeasedRunsWaitsForNoNode(saysGoodbye: Bool) throws {
        var cluster = try durable(slow: false)
        if saysGoodbye {
            let bye = Bye(incarnation: Incarnation(1))
            cluster.send(from: 1) { bye.encode(requestID: 0, into: &$0) }
            cluster.tick(at: 11)
        } else {
            cluster.tick(at: 14)
        }
        var next = successor(of: cluster, finding: try #require(cluster.keptLives.last))
        #expect(try greet(2, &next) == 1, "whose life was the last is known all the same")
        next.forget()
        next.invalidate(.all, timeout: 60_000)
        next.tick(at: 0.1)
        #expect(try next.receipt().isComplete)
    }

    /// Its lease ended while it slept. What the disk says must be true before it has another.
    @Test func aRunThatIsGrantedAgainIsNotedFirst() throws {
        var cluster = try durable(slow: false)
        cluster.tick(at: 14)
        cluster.isKeepingLivesSlow = true
        cluster.forget()
        cluster.sendPing(1, incarnation: 1, at: cluster.core.log.head)
        #expect(try pongs(&cluster).isEmpty, "nobody holds a lease, says the disk")
        cluster.tick(at: 15)
        cluster.finishKeepingLives()
        #expect(try pongs(&cluster) == [3_000])
        cluster.tick(at: 15.1)
        cluster.finishKeepingLives()
        var next = successor(of: cluster, finding: try #require(cluster.keptLives.last))
        #expect(try greet(2, &next) == 1)
        next.forget()
        next.invalidate(.all, timeout: 60_000)
        next.tick(at: 3.029)
        #expect(!next.order.contains(.receipt))
    }

    /// n1's run 1 is granted by two publishers; the second opens an epoch, and the third starts.
    @Test func openingAnEpochKeepsLeasedRunsInTheRunFile() throws {
        var cluster = try durable(slow: false)
        cluster.tick(at: 11)
        var next = successor(of: cluster, finding: try #require(cluster.keptLives.last))
        let (id, head) = (next.core.log.id, next.core.log.head)
        try next.hello(1, incarnation: 1, log: id, at: head)
        #expect(try lease(1, &next) == 3_000)
        next.invalidate(.none)
        next.tick(at: 1)
        try next.hello(1, incarnation: 9, log: id, at: .at(500))
        next.tick(at: 1.1)
        #expect(next.core.statistics.epochsOpened == 1)
        var third = successor(of: next, finding: try #require(next.keptLives.last))
        _ = try greet(2, &third)
        third.forget()
        third.invalidate(.all, timeout: 60_000)
        third.tick(at: 0.1)
        third.ack(1, incarnation: 2, at: third.core.log.head)
        third.tick(at: 3.029)
        #expect(!third.order.contains(.receipt), "run 1 may call the old value fresh")
    }

    /// The book that the second publisher finds is of another epoch, and says who may hold a lease.
    @Test func whatABookOfAnotherEpochSaysOfLeasesIsHandedOn() throws {
        let cluster = try Cluster.live(nodes: 2, outlivesItsProcess: true)
        let file = try #require(cluster.keptLives.last)
        var kept = MemoryLog(id: cluster.core.log.id, decode: SealedRecord.kept)
        var head = cluster.core.log.head
        head.position = LogPosition(epoch: head.position.epoch.next, sequence: .none)
        kept.continueHistory(of: cluster.core.log.id, from: head)
        var next = Cluster(nodes: 2, log: kept, outlivesItsProcess: true)
        let isRead = next.core.resumeLives(file)
        #expect(isRead)
        try next.hello(1, incarnation: 3)
        _ = try next.ping(1, incarnation: 3, at: next.core.log.head)
        next.tick(at: 0.1)
        var third = Cluster(nodes: 2, log: kept, outlivesItsProcess: true)
        let last = try #require(next.keptLives.last)
        let isReadAgain = third.core.resumeLives(last)
        #expect(isReadAgain)
        try third.hello(1, incarnation: 3, log: third.core.log.id, at: third.core.log.head)
        try third.hello(2, incarnation: 4)
        third.forget()
        third.invalidate(.all, timeout: 1_000)
        third.tick(at: 0.1)
        third.ack(1, incarnation: 3, at: third.core.log.head)
        third.ack(2, incarnation: 4, at: third.core.log.head)
        third.tick(at: 1.2)
        let pending = try third.receipt().pending.map(\.name)
        #expect(pending.contains("n2"), "its run 2 may call the old value fresh")
    }

    /// A publisher of two nodes that finds this file. It goes on with the log, or in its next
    /// epoch. Runs 6 and 7 greet and obey all that is invalidated.
    private func publisher(
        after cluster: borrowing Cluster, finding file: [UInt8]?, inNewEpoch isNew: Bool
    ) throws -> Cluster {
        var kept = MemoryLog(id: cluster.core.log.id, decode: SealedRecord.kept)
        var head = cluster.core.log.head
        if isNew {
            let epoch = head.position.epoch.next
            head.position = LogPosition(epoch: epoch, sequence: .none)
        }
        kept.continueHistory(of: cluster.core.log.id, from: head)
        var next = Cluster(nodes: 2, log: kept, outlivesItsProcess: true)
        _ = next.core.resumeLives(file)
        try next.hello(1, incarnation: 6)
        try next.hello(2, incarnation: 7)
        next.tick()
        next.forget()
        next.invalidate(.all, timeout: 1_000)
        next.tick(at: 0.1)
        next.ack(1, incarnation: 6, at: next.core.log.head)
        next.ack(2, incarnation: 7, at: next.core.log.head)
        return next
    }

    private func expectThatEarlierRunsAreWaitedFor(_ cluster: inout Cluster) throws {
        cluster.tick(at: 1.2)
        let receipt = try cluster.receipt()
        let pending = receipt.pending.map(\.name)
        #expect(pending == ["n1", "n2"], "earlier runs may call the old value fresh")
    }

    /// The directory was set back to a time when no run held a lease, and n2 was not there yet.
    /// Later ones were granted leases, and sleep.
    @Test func aRunFileOfAnotherEpochIsNotTrustedAboutLeases() throws {
        var cluster = try durable(slow: false)
        cluster.tick(at: 14)
        let file = try #require(cluster.keptLives.last)
        var next = try publisher(after: cluster, finding: file, inNewEpoch: true)
        try expectThatEarlierRunsAreWaitedFor(&next)
    }

    /// By a publisher whose own runs hold no lease, before the earlier leases are over.
    @Test(arguments: ["old", "damaged", "none"])
    func thatNothingIsKnownOfLeasesIsHandedOn(kind: String) throws {
        var cluster = try durable(slow: false)
        cluster.tick(at: 14)
        let old = try #require(cluster.keptLives.last)
        let file = kind == "old" ? old : kind == "damaged" ? [1, 2, 3] : nil
        var next = try publisher(after: cluster, finding: file, inNewEpoch: kind == "old")
        next.tick(at: 1)
        let book = try #require(next.keptLives.last)
        var third = try publisher(after: next, finding: book, inNewEpoch: false)
        try expectThatEarlierRunsAreWaitedFor(&third)
    }

    /// Log and book were set back, and stand in the epoch of their time: a node tells. Run 6 may
    /// have been granted a lease by then.
    @Test(arguments: [false, true])
    func aNodeAheadVoidsTheLeaseStateOfTheRunFile(isGranted: Bool) throws {
        var cluster = try durable(slow: false)
        cluster.tick(at: 14)
        var next = successor(of: cluster, finding: try #require(cluster.keptLives.last))
        _ = try greet(6, &next)
        if isGranted { _ = try next.ping(1, incarnation: 6, at: next.core.log.head) }
        var ahead = next.core.log.head
        ahead.position.sequence = SequenceNumber(900_000)
        _ = try next.ping(1, incarnation: 6, at: ahead)
        #expect(next.core.statistics.epochsOpened == 1)
        next.forget()
        next.invalidate(.all, timeout: 60_000)
        next.tick(at: 0.1)
        next.ack(1, incarnation: 6, at: next.core.log.head)
        next.tick(at: 3.029)
        #expect(!next.order.contains(.receipt), "run 5 may call the old value fresh")
        next.tick(at: 3.03)
        #expect(try next.receipt().isComplete)
    }

    /// The store of several publishers was emptied; run 6 tells that there was a log. Run 5 was
    /// granted a lease, and sleeps.
    @Test func aSharedLogThatWasLostWaitsForRunsThatNothingNames() throws {
        var next = Cluster(nodes: 1, outlivesItsProcess: true, inheritedLease: nil)
        next.core.log.isShared = true
        _ = next.core.resumeLives(nil)
        next.core.setCluster(kept: nil, fresh: ClusterID(1))
        try next.hello(1, incarnation: 6, log: LogID(0xBB), at: .at(900))
        next.tick(at: 0.05)
        next.confirm(1)
        next.tick(at: 0.1)
        #expect(next.core.statistics.epochsOpened == 1)
        #expect(next.core.longestLease(now: next.now) == .seconds(60), "the next one waits, too")
        next.forget()
        next.invalidate(.all, timeout: 60_000)
        next.tick(at: 0.2)
        next.ack(1, incarnation: 6, at: next.core.log.head)
        next.tick(at: 60)
        #expect(!next.order.contains(.receipt), "run 5 may call the old value fresh")
        next.tick(at: 61)
        #expect(next.order.contains(.receipt))
        #expect(next.core.longestLease(now: next.now) == .seconds(3))
    }

    /// The publisher has begun the log itself, so only it has granted leases. Otherwise every node
    /// that reports a wrong mark would keep receipts waiting for runs that never existed.
    @Test func anEpochOfALogWithoutAnEarlierPublisherWaitsForNoUnknownRun() throws {
        var cluster = Cluster(nodes: 1, outlivesItsProcess: true, inheritedLease: nil)
        _ = cluster.core.resumeLives(nil)
        try cluster.hello(1)
        cluster.tick()
        _ = try cluster.ping(1, at: cluster.core.log.head)
        var ahead = cluster.core.log.head
        ahead.position.sequence = SequenceNumber(900_000)
        _ = try cluster.ping(1, at: ahead)
        #expect(cluster.core.statistics.epochsOpened == 1)
        cluster.forget()
        cluster.invalidate(.all, timeout: 60_000)
        cluster.tick(at: 0.1)
        cluster.ack(1, at: cluster.core.log.head)
        cluster.tick(at: 0.2)
        #expect(try cluster.receipt().isComplete)
    }

    @Test func aNodeThatOnlyTheBookKnowsCanBeForgotten() throws {
        var cluster = try Cluster.live(nodes: 2, outlivesItsProcess: true)
        cluster.tick(at: 20)
        var next = successor(of: cluster, finding: try #require(cluster.keptLives.last))
        next.tick(at: 4)
        next.forget()
        let gone = try #require(NodeID("n2"))
        next.send(from: 90) { NodeOrder(.forget, gone).encode(requestID: 8, into: &$0) }
        #expect(next.order == [.done])
        next.forget()
        next.send(from: 90) { NodeOrder(.forget, gone).encode(requestID: 8, into: &$0) }
        #expect(next.order == [.error])
    }

    /// A log that has records had a publisher.
    @Test func withoutARunFileALogWithRecordsAssumesLeasedRuns() throws {
        var cluster = try durable(slow: false)
        cluster.invalidate(.none)
        cluster.tick(at: 11)
        for file in [nil, [1, 2, 3]] as [[UInt8]?] {
            var kept = MemoryLog(id: cluster.core.log.id, decode: SealedRecord.kept)
            kept.continueHistory(of: cluster.core.log.id, from: cluster.core.log.head)
            var next = Cluster(nodes: 1, log: kept, outlivesItsProcess: true)
            let isRead = next.core.resumeLives(file)
            #expect(isRead == (file == nil))
            _ = try greet(2, &next)
            next.forget()
            next.invalidate(.all, timeout: 60_000)
            next.tick(at: 3.029)
            #expect(!next.order.contains(.receipt))
        }
    }

    /// Where nobody knows how long leases were, that is no reason to wait in a publisher after it
    /// for whom this one has heard.
    @Test func aRunThatWasHeardIsNamedBeforeEarlierLeasesAreOver() throws {
        var cluster = Cluster(nodes: 1, outlivesItsProcess: true, inheritedLease: nil)
        try cluster.hello(1)
        cluster.tick()
        #expect(try cluster.ping(1, at: cluster.core.log.head).leaseMilliseconds == 3_000)
        cluster.tick(at: 0.6)
        var next = successor(of: cluster, finding: try #require(cluster.keptLives.last))
        try next.hello(1, log: next.core.log.id, at: next.core.log.head)
        next.forget()
        next.invalidate(.all, timeout: 60_000)
        next.tick(at: 0.1)
        next.ack(1, at: next.core.log.head)
        next.tick(at: 0.2)
        #expect(try next.receipt().isComplete)
    }

    /// So had one that was begun, and has none yet, and one whose book is damaged.
    @Test func withoutARunFileAnEmptyLogAssumesLeasedRuns() throws {
        let start = try durable(slow: false).core.log.head
        #expect(start.position.sequence == .none)
        for (file, isBegun) in [(nil, true), ([1, 2, 3], true), ([], false)] as [([UInt8]?, Bool)] {
            var kept = MemoryLog(id: Cluster.freshID, decode: SealedRecord.kept)
            if isBegun { kept.continueHistory(of: Cluster.freshID, from: start) }
            var next = Cluster(nodes: 1, log: kept, outlivesItsProcess: true)
            let isRead = next.core.resumeLives(file)
            #expect(isRead == (file == nil))
            try next.hello(1, incarnation: 2)
            next.tick()
            next.forget()
            next.invalidate(.all, timeout: 60_000)
            next.tick(at: 3.029)
            #expect(!next.order.contains(.receipt), "run 1 may call the old value fresh")
            next.tick(at: 3.03)
            #expect(try next.receipt().isComplete)
        }
    }

    /// n2 was taken out of the configuration while no publisher ran. Its process has a lease.
    @Test func aReceiptWaitsForARemovedNodeThatMayHoldALease() throws {
        let cluster = try Cluster.live(nodes: 2, outlivesItsProcess: true)
        let file = try #require(cluster.keptLives.last)
        var next = successor(of: cluster, finding: file)
        _ = try greet(1, &next)
        next.forget()
        next.invalidate(.all, timeout: 60_000)
        next.tick(at: 0.1)
        next.ack(1, at: next.core.log.head)
        next.tick(at: 3.029)
        #expect(!next.order.contains(.receipt), "n2 may call the old value fresh")
        next.tick(at: 3.03)
        let receipt = try next.receipt()
        #expect(receipt.isComplete)
        #expect(receipt.applied.map(\.node.name) == ["n1"])
        #expect(receipt.expired.map(\.node.name) == ["n2"])
    }

    /// The log was set back to an older copy, and its file with it; the log has noticed.
    @Test func aFileOfAnotherEpochSaysNothing() throws {
        let cluster = try durable(slow: false)
        let file = try #require(cluster.keptLives.last)
        var kept = MemoryLog(id: cluster.core.log.id, decode: SealedRecord.kept)
        var head = cluster.core.log.head
        head.position = LogPosition(epoch: head.position.epoch.next, sequence: .none)
        kept.continueHistory(of: cluster.core.log.id, from: head)
        var next = Cluster(nodes: 1, log: kept, outlivesItsProcess: true)
        let isRead = next.core.resumeLives(file)
        #expect(isRead)
        #expect(try greet(2, &next) == 0)
    }

    /// Somebody is ahead of the log: it was set back, perhaps, and its file with it.
    @Test(arguments: [false, true])
    func aNewEpochForgetsWhatTheFileSaidAndNothingElse(isNotedAgain: Bool) throws {
        let cluster = try durable(slow: false)
        let file = try #require(cluster.keptLives.last)
        var next = successor(of: cluster, finding: file)
        #expect(try greet(2, &next) == 1)
        if isNotedAgain { _ = try lease(2, &next) }
        let epoch = next.core.log.head.position.epoch
        var ahead = next.core.log.head
        ahead.position = LogPosition(epoch: epoch, sequence: SequenceNumber(900_000))
        _ = try next.ping(1, incarnation: 2, at: ahead)
        #expect(next.core.log.head.position.epoch > epoch)
        #expect(try greet(3, &next) == (isNotedAgain ? 2 : 0))
    }

    @Test func aDamagedFileIsToldAndSaysNothing() throws {
        var cluster = try durable(slow: false)
        let isRead = cluster.core.resumeLives([1, 2, 3])
        #expect(!isRead)
        #expect(try greet(2, &cluster) == 1)
    }

    @Test func whatIsNotKeptYetIsKeptAtTheEnd() throws {
        var cluster = try durable()
        var left = cluster.core.livesToKeep
        #expect(left == nil)
        _ = try greet(2, &cluster)
        cluster.sendPing(1, incarnation: 2, at: cluster.core.log.head)
        left = cluster.core.livesToKeep
        var next = successor(of: cluster, finding: try #require(left))
        #expect(try greet(3, &next) == 2)
    }
}
