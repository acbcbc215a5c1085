import CacheInvalidation
import CacheModel
import CacheWire
import PublisherCore
import Testing

/// AWAIT: who has obeyed what is in the log already.
@Suite struct PublishingCoreReceiptsTests {
    /// A live cluster whose log has one record, ordered at second 10 by `ada@box`.
    private func appended() throws -> Cluster {
        var cluster = try Cluster.live()
        invalidate(&cluster, by: "ada@box")
        return cluster
    }

    private func invalidate(_ cluster: inout Cluster, by issuer: String?, operation: UInt64 = 0) {
        var request = InvalidateRequest(
            scopes: [Scope(.everything)], wait: .none, timeoutMilliseconds: 1_000,
            operation: OperationID(high: 0, low: operation))
        request.issuer = issuer.flatMap { Issuer($0) }
        cluster.send(from: 90) { request.encode(requestID: 9, into: &$0) }
        cluster.tick()
        cluster.forget()
    }

    private func ask(
        _ cluster: inout Cluster, _ position: LogPosition, _ wait: WaitMode = .none,
        timeout: UInt32 = 5_000, from peer: UInt8 = 91
    ) {
        let request = AwaitRequest(position: position, wait: wait, timeoutMilliseconds: timeout)
        cluster.send(from: peer) { request.encode(requestID: 8, into: &$0) }
        cluster.tick()
    }

    @Test func withoutWaitingItTellsHowThingsStand() throws {
        var cluster = try appended()
        let mark = cluster.core.log.head
        cluster.second += 0.002
        cluster.ack(1, at: mark)
        cluster.second += 0.001
        cluster.ack(2, at: mark)
        cluster.second += 5
        // The grants were counted for 3.03 s; n1 alone asked again.
        _ = try cluster.ping(1, at: mark)
        cluster.tick()
        cluster.forget()
        ask(&cluster, mark.position)
        let receipt = try cluster.receipt(to: 91)
        #expect(receipt.isComplete && receipt.wait == .none && receipt.position == .at(1))
        #expect(receipt.applied.map(\.node.name) == ["n1", "n2"])
        #expect(receipt.applied.map(\.elapsed) == [.milliseconds(2), .milliseconds(3)])
        #expect(receipt.expired.map(\.node.name) == ["n3"])
        #expect(receipt.pending.isEmpty && receipt.nearCacheMilliseconds == 3_000)
        #expect(receipt.issuer?.name == "ada@box")
    }

    private func nearCacheMilliseconds(_ cluster: inout Cluster) throws -> UInt32 {
        cluster.invalidate(.none)
        cluster.tick()
        return try cluster.receipt().nearCacheMilliseconds
    }

    /// Near caches live by the lease that was left of the answer they were filled from. The lease
    /// is lowered while one is held.
    @Test func aReceiptTellsTheLongestLeaseThatMayStillBeHeld() throws {
        var cluster = Cluster(nodes: 1) { $0.lease = .seconds(60) }
        try cluster.hello(1)
        cluster.tick(at: 70)
        #expect(try nearCacheMilliseconds(&cluster) == 60_000)
        #expect(try cluster.ping(1, at: cluster.core.log.head).leaseMilliseconds == 60_000)
        let node = PublisherPlan.Node(id: try #require(NodeID("n1")), shards: 1)
        cluster.core.configurationChanged(to: PublisherPlan(nodes: [node]), now: cluster.now)
        cluster.tick(at: 71)
        #expect(try cluster.ping(1, at: cluster.core.log.head).leaseMilliseconds == 3_000)
        cluster.tick(at: 130.5)
        #expect(try nearCacheMilliseconds(&cluster) == 60_000)
        cluster.tick(at: 130.6)
        cluster.tick(at: 130.7)
        #expect(try nearCacheMilliseconds(&cluster) == 3_000)
    }

    /// Or it was lowered at the restart.
    @Test(arguments: [false, true])
    func aReceiptReportsTheEarlierLeaseWhileARunMayHoldIt(isNew: Bool) throws {
        var cluster = Cluster(nodes: 2, inheritedLease: .seconds(60))
        let mark = isNew ? LogMark.none : .at(5)
        for number in [1, 2] as [UInt8] {
            try cluster.hello(number, log: isNew ? .none : LogID(0xAA), at: mark)
        }
        cluster.tick(at: 0.1)
        #expect(try nearCacheMilliseconds(&cluster) == (isNew ? 3_000 : 60_000))
        cluster.tick(at: 60.6)
        cluster.tick(at: 60.7)
        #expect(try nearCacheMilliseconds(&cluster) == 3_000)
    }

    @Test func allIsWaitedForAndCountsFromTheAppend() throws {
        var cluster = try appended()
        let mark = cluster.core.log.head
        cluster.second += 0.001
        cluster.ack(1, at: mark)
        cluster.second += 0.5
        ask(&cluster, mark.position, .all)
        #expect(cluster.replies.isEmpty)
        cluster.ack(2, at: mark)
        cluster.second += 0.5
        cluster.ack(3, at: mark)
        cluster.tick()
        let receipt = try cluster.receipt(to: 91)
        #expect(receipt.isComplete && receipt.wait == .all)
        #expect(
            receipt.applied.map(\.elapsed) == [
                .milliseconds(1), .milliseconds(501), .milliseconds(1_001),
            ])
    }

    @Test func whatIsOwedWhenTheTimeIsUpIsPending() throws {
        var cluster = try appended()
        let mark = cluster.core.log.head
        cluster.ack(2, at: mark)
        ask(&cluster, mark.position, .all, timeout: 200)
        cluster.tick(at: 10.199)
        #expect(cluster.replies.isEmpty)
        #expect(cluster.core.nextDeadline <= .seconds(Cluster.start + 10.2))
        cluster.tick(at: 10.2)
        let receipt = try cluster.receipt(to: 91)
        #expect(!receipt.isComplete && receipt.pending.map(\.name) == ["n1", "n3"])
        #expect(receipt.applied.map(\.node.name) == ["n2"])
    }

    @Test func aQuorumIsMoreThanHalf() throws {
        var cluster = try appended()
        let mark = cluster.core.log.head
        cluster.ack(1, at: mark)
        ask(&cluster, mark.position, .quorum)
        #expect(cluster.replies.isEmpty)
        cluster.ack(3, at: mark)
        cluster.tick()
        #expect(try cluster.receipt(to: 91).applied.count == 2)
    }

    /// A node that was not there when the record came, and holds a grant now, owes it all the same.
    @Test func aReceiptWaitsForANodeThatNowHoldsAGrant() throws {
        var cluster = try appended()
        let mark = cluster.core.log.head
        cluster.send(from: 3) { Bye(incarnation: Incarnation(3)).encode(requestID: 0, into: &$0) }
        for number in 1...2 as ClosedRange<UInt8> { cluster.ack(number, at: mark) }
        ask(&cluster, mark.position, .all)
        #expect(try cluster.receipt(to: 91).expired.map(\.node.name) == ["n3"])
        try cluster.hello(3, incarnation: 33, log: Cluster.freshID, at: .at(0, digest: 0xF0))
        _ = try cluster.ping(3, incarnation: 33, at: .at(0, digest: 0xF0))
        ask(&cluster, mark.position)
        #expect(try cluster.receipt(to: 91).pending.map(\.name) == ["n3"])
    }

    @Test func whatIsNotInTheLogIsRefused() throws {
        var cluster = try appended()
        for position in [.at(2), .at(0), .at(1, epoch: 2)] as [LogPosition] {
            ask(&cluster, position)
            let error = try cluster.error(to: 91)
            #expect(error.knownCode == .outOfRange)
            #expect(error.message == "there is no record at \(position): the log ends at 1:1")
        }
        #expect(cluster.core.statistics.receiptsAsked == 0)
    }

    /// Whoever has entered the new epoch has hidden everything of the old one.
    @Test func aNodeInTheNextEpochHasAppliedEveryEarlierPosition() throws {
        var cluster = try appended()
        let mark = cluster.core.log.head
        for number in 1...3 as ClosedRange<UInt8> { cluster.ack(number, at: mark) }
        // Ahead of the log: the publisher opens another epoch.
        cluster.ack(1, at: .at(9))
        cluster.tick()
        let head = cluster.core.log.head
        #expect(head.position.epoch == Epoch(2))
        cluster.ack(1, at: head)
        cluster.forget()
        ask(&cluster, .at(7))
        let receipt = try cluster.receipt(to: 91)
        #expect(receipt.applied.map(\.node.name) == ["n1"])
        #expect(
            receipt.pending.map(\.name) == ["n2", "n3"], "they stand at 1:1 as far as is known")
        ask(&cluster, .at(1))
        #expect(try cluster.receipt(to: 91).applied.count == 3)
        ask(&cluster, .at(0, epoch: 2))
        #expect(try cluster.error(to: 91).knownCode == .outOfRange)
    }

    @Test func aPublisherThatDoesNotKnowItsPlaceIsBusy() throws {
        var cluster = Cluster()
        ask(&cluster, .at(1))
        let error = try cluster.error(to: 91)
        #expect(error.knownCode == .busy && error.retryAfterMilliseconds == 100)
    }

    /// What an earlier publisher appended is answered without the time and the issuer.
    @Test func afterARestartReceiptsHaveNoTimeOrIssuer() throws {
        var log = MemoryLog(id: Cluster.freshID, decode: SealedRecord.kept)
        let record = try SealedRecord(
            sealing: InvalidationRecord(
                position: .at(1), previousDigest: LogDigest(0xF0), operation: .none,
                strength: .hard, scopes: [Scope(.everything)]))
        log.continueHistory(of: Cluster.freshID, from: .at(0, digest: 0xF0))
        _ = try log.append([record], expecting: log.head)
        var cluster = Cluster(nodes: 1, log: log)
        try cluster.hello(1, log: Cluster.freshID, at: record.mark)
        cluster.tick(at: 7)
        #expect(try cluster.ping(1, at: record.mark).leaseMilliseconds == 3_000)
        ask(&cluster, .at(1), .all)
        let receipt = try cluster.receipt(to: 91)
        #expect(receipt.applied.map(\.elapsed) == [.zero] && receipt.issuer == nil)
    }

    @Test func aRepetitionDoesNotChangeTheIssuer() throws {
        var cluster = try Cluster.live()
        invalidate(&cluster, by: "ada@box", operation: 5)
        invalidate(&cluster, by: "bob@box", operation: 5)
        invalidate(&cluster, by: nil)
        ask(&cluster, .at(1))
        #expect(try cluster.receipt(to: 91).issuer?.name == "ada@box")
        ask(&cluster, .at(2))
        #expect(try cluster.receipt(to: 91).issuer == nil)
    }

    @Test func issuersAreForgottenFromTheOldestOn() throws {
        var cluster = try Cluster.live(nodes: 1)
        for number in 0...PublisherLimits.recentRecordsMax {
            var request = InvalidateRequest(
                scopes: [Scope(.everything)], wait: .none, timeoutMilliseconds: 1_000,
                operation: .none)
            request.issuer = Issuer("i\(number)")
            cluster.send(from: 90) { request.encode(requestID: 9, into: &$0) }
            if number % 1_000 == 0 { cluster.tick() }
        }
        cluster.tick()
        cluster.forget()
        ask(&cluster, .at(1))
        #expect(try cluster.receipt(to: 91).issuer == nil)
        ask(&cluster, .at(2))
        #expect(try cluster.receipt(to: 91).issuer?.name == "i1")
        let head = cluster.core.log.head.position
        ask(&cluster, head)
        #expect(try cluster.receipt(to: 91).issuer?.name == "i\(PublisherLimits.recentRecordsMax)")
    }

    @Test func questionsHaveTheBoundOfInvalidations() throws {
        var cluster = try appended()
        let mark = cluster.core.log.head
        for _ in 0..<InvalidationLimits.waitsMax {
            let request = AwaitRequest(
                position: mark.position, wait: .all, timeoutMilliseconds: 5_000)
            cluster.send(from: 91) { request.encode(requestID: 8, into: &$0) }
        }
        cluster.forget()
        ask(&cluster, mark.position, from: 92)
        #expect(try cluster.error(to: 92).knownCode == .busy)
        cluster.invalidate()
        #expect(try cluster.error(to: 90).knownCode == .busy)
        for number in 1...3 as ClosedRange<UInt8> { cluster.ack(number, at: mark) }
        cluster.tick()
        #expect(cluster.hear(91).count == InvalidationLimits.waitsMax)
        #expect(cluster.core.statistics.receiptsComplete == 1, "the one of the invalidation")
        ask(&cluster, mark.position, from: 92)
        #expect(try cluster.receipt(to: 92).isComplete)
    }
}
