import ByteCoding
import CacheAccess
import CacheModel
import CacheWire
import PublisherCore
import Testing

/// What of it is worth a line in the audit log: docs/decisions/0056.
@Suite struct PublishingCoreAuditTests {
    private static let list = """
        n1      \(key(1))  node
        n2      \(key(2))  node
        purger  \(key(3))  invalidate  default/img:,sessions
        boss    \(key(4))  admin
        """

    private static func key(_ number: Int) -> String {
        String(repeating: "0", count: 62) + "0\(number)"
    }

    /// Principals have the numbers of their lines, from 1.
    private enum Who: UInt32 {
        case stranger, n1, n2, purger, boss
    }

    private static func cluster(outlivesItsProcess: Bool = false) throws -> Cluster {
        var cluster = try Cluster.live(nodes: 2, outlivesItsProcess: outlivesItsProcess)
        cluster.forget()
        cluster.core.setAccess(try AccessTable(listing: list))
        cluster.core.isAudited = true
        return cluster
    }

    /// Of whoever says who it is.
    private static let trace = TraceContext(
        traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")

    private static func party(_ who: Who, claiming claim: String? = nil) throws -> AuditParty {
        let list = try AccessList(parsing: list)
        var party = AuditParty(
            who == .stranger ? nil : list.entries[Int(who.rawValue) - 1], address: "10.0.0.9")
        party.claim = claim.flatMap { Issuer($0) }
        party.trace = claim == nil ? nil : trace
        return party
    }

    private static func request(
        _ wait: WaitMode, operation: UInt64 = 0, claiming claim: String? = nil
    ) throws -> (frame: [UInt8], order: AuditEvent.Order) {
        let scopes = [Scope(.namespace(try #require(Namespace("sessions"))))]
        var request = InvalidateRequest(
            scopes: scopes, strength: .soft, wait: wait, timeoutMilliseconds: 5_000,
            operation: OperationID(high: 0, low: operation))
        request.issuer = claim.flatMap { Issuer($0) }
        request.trace = claim == nil ? nil : trace
        return (
            Cluster.bytes { request.encode(requestID: 9, into: &$0) }, .init(scopes, .soft)
        )
    }

    @Test func anInvalidationIsAuditedAtItsAppendAndAtItsReceipt() throws {
        var cluster = try Self.cluster()
        let (frame, order) = try Self.request(.all, claiming: "job 7")
        cluster.audit(frame, of: Who.purger.rawValue)
        #expect(cluster.takeAudited() == [], "it is not in the log yet")
        cluster.tick()
        let party = try Self.party(.purger, claiming: "job 7")
        #expect(
            cluster.takeAudited() == [
                AuditEvent(
                    .invalidated(order, at: .at(1), wait: "all", isRepeated: false), by: party)
            ])
        cluster.second += 0.003
        let mark = cluster.core.log.head
        for number in UInt8(1)...2 {
            let ack = Ack(incarnation: Incarnation(UInt64(number)), applied: mark)
            cluster.audit(
                Cluster.bytes { ack.encode(requestID: 0, into: &$0) }, of: UInt32(number))
        }
        cluster.tick()
        let receipt = AuditEvent.Receipt(
            isComplete: true, appliedCount: 2, expiredCount: 0, pendingCount: 0, milliseconds: 3)
        #expect(cluster.takeAudited() == [AuditEvent(.receipt(receipt, of: .at(1)), by: party)])
    }

    @Test("An invalidation without a wait has one audit line; a repetition is marked as such")
    func aRepeatedInvalidationIsAuditedAsRepeated() throws {
        var cluster = try Self.cluster()
        let (frame, order) = try Self.request(.none, operation: 7)
        for isRepeated in [false, true] {
            cluster.audit(frame, of: Who.purger.rawValue)
            cluster.tick()
            #expect(
                cluster.takeAudited() == [
                    AuditEvent(
                        .invalidated(order, at: .at(1), wait: "none", isRepeated: isRepeated),
                        by: try Self.party(.purger))
                ])
        }
    }

    @Test func anIncompleteReceiptIsAuditedWithItsPendingCount() throws {
        var cluster = try Self.cluster()
        let (frame, _) = try Self.request(.all)
        cluster.audit(frame, of: Who.boss.rawValue)
        cluster.tick()
        _ = cluster.takeAudited()
        var actions: [PublisherAction] = []
        cluster.core.stop(into: &actions)
        cluster.take(actions)
        let receipt = AuditEvent.Receipt(
            isComplete: false, appliedCount: 0, expiredCount: 0, pendingCount: 2,
            milliseconds: nil)
        #expect(
            cluster.takeAudited()
                == [AuditEvent(.receipt(receipt, of: .at(1)), by: try Self.party(.boss))])
    }

    @Test func aNodeNamesItsClient() throws {
        var cluster = try Self.cluster()
        let (frame, order) = try Self.request(.none, claiming: "web")
        cluster.audit(frame, of: Who.n1.rawValue)
        cluster.tick()
        #expect(
            cluster.takeAudited() == [
                AuditEvent(
                    .invalidated(order, at: .at(1), wait: "none", isRepeated: false),
                    by: try Self.party(.n1, claiming: "web"))
            ])
        let question = AwaitRequest(position: .at(1), wait: .none, timeoutMilliseconds: 1)
        cluster.forget()
        cluster.audit(
            Cluster.bytes { question.encode(requestID: 2, into: &$0) }, of: Who.boss.rawValue)
        cluster.tick()
        #expect(try cluster.receipt(to: 77).issuer?.name == "n1 (web)")
        #expect(cluster.takeAudited() == [], "a question is no deed")
    }

    @Test func aDenialNamesTheMessageAndTheRoleAndIsBounded() throws {
        var cluster = try Self.cluster()
        let everything = InvalidateRequest(
            scopes: [Scope(.everything)], wait: .all, timeoutMilliseconds: 10, operation: .none)
        let frame = Cluster.bytes { everything.encode(requestID: 1, into: &$0) }
        for _ in 0..<100 { cluster.audit(frame, of: Who.purger.rawValue) }
        let denied = AuditEvent(
            .denied(message: "invalidate", missing: "invalidate"), by: try Self.party(.purger))
        #expect(cluster.takeAudited() == [AuditEvent](repeating: denied, count: 4))
        cluster.audit(frame, of: 0)
        #expect(
            cluster.takeAudited() == [
                AuditEvent(
                    .denied(message: "invalidate", missing: "entry"), by: try Self.party(.stranger))
            ])
        cluster.tick(at: cluster.second + 1.001)
        #expect(
            cluster.takeAudited()
                == [AuditEvent(.leftOut(count: 96), by: try Self.party(.purger))])
    }

    @Test func revokingAFollowRightIsAuditedAsADenial() throws {
        var cluster = try Self.cluster()
        cluster.tick()
        let follow = FollowRequest(after: .none, limit: 10, holdMilliseconds: 60_000)
        cluster.audit(
            Cluster.bytes { follow.encode(requestID: 5, into: &$0) }, of: Who.boss.rawValue)
        cluster.tick()
        #expect(cluster.replies.isEmpty)
        cluster.core.setAccess(.empty)
        cluster.tick()
        #expect(try cluster.error(to: 77).knownCode == .unauthorised)
        #expect(
            cluster.takeAudited() == [
                AuditEvent(.denied(message: "follow", missing: "read"), by: try Self.party(.boss))
            ])
    }

    @Test func pacingsAreNotedOnceTheyAreKept() throws {
        var cluster = try Self.cluster(outlivesItsProcess: true)
        let scopes = [Scope(.namespace(try #require(Namespace("sessions"))))]
        var begin = PaceRequest(.begin)
        begin.scopes = scopes
        begin.spanMilliseconds = 60_000
        begin.operation = OperationID(high: 1, low: 1)
        begin.issuer = Issuer("job 7")
        cluster.audit(
            Cluster.bytes { begin.encode(requestID: 1, into: &$0) }, of: Who.purger.rawValue)
        cluster.tick()
        #expect(cluster.takeAudited() == [])
        cluster.finishKeeping()
        var party = try Self.party(.purger, claiming: "job 7")
        party.trace = nil
        #expect(
            cluster.takeAudited() == [
                AuditEvent(
                    .paced(.init(scopes, .hard), PacingID(1), spanMilliseconds: 60_000), by: party)
            ])
        var cancel = PaceRequest(.cancel)
        cancel.id = PacingID(1)
        cluster.audit(
            Cluster.bytes { cancel.encode(requestID: 2, into: &$0) }, of: Who.boss.rawValue)
        cluster.tick()
        cluster.finishKeeping()
        #expect(
            cluster.takeAudited()
                == [AuditEvent(.paceCancelled(PacingID(1)), by: try Self.party(.boss))])
    }

    @Test func forgettingANodeIsAuditedWithItsIssuer() throws {
        var cluster = try Self.cluster()
        cluster.tick(at: cluster.second + 30)
        _ = cluster.takeAudited()
        let node = try #require(NodeID("n2"))
        let order = NodeOrder(.forget, node)
        cluster.audit(
            Cluster.bytes { order.encode(requestID: 1, into: &$0) }, of: Who.boss.rawValue)
        #expect(
            cluster.takeAudited()
                == [AuditEvent(.forgot(node, runCount: 1), by: try Self.party(.boss))])
    }

    @Test func aDisabledAuditWritesNothingAndWithoutAListIssuersAreUnknown() throws {
        var cluster = try Self.cluster()
        cluster.core.isAudited = false
        let (frame, order) = try Self.request(.none, claiming: "cli")
        cluster.audit(frame, of: Who.purger.rawValue)
        cluster.audit(frame, of: Who.stranger.rawValue)
        cluster.tick()
        #expect(cluster.takeAudited() == [])
        var open = try Cluster.live(nodes: 1)
        open.core.isAudited = true
        open.audit(frame, of: 0)
        open.tick()
        #expect(
            open.takeAudited() == [
                AuditEvent(
                    .invalidated(order, at: .at(1), wait: "none", isRepeated: false),
                    by: try Self.party(.stranger, claiming: "cli"))
            ])
    }
}

extension Cluster {
    fileprivate mutating func audit(_ frame: [UInt8], of principal: UInt32) {
        var actions: [PublisherAction] = []
        let sender = RequestSender(
            Self.peer(77), principal: PrincipalNumber(rawValue: principal), address: "10.0.0.9")
        let now = now
        frame.withUnsafeBytes { core.received($0, from: sender, now: now, into: &actions) }
        take(actions)
    }

    fileprivate mutating func takeAudited() -> [AuditEvent] {
        defer { audited = [] }
        return audited
    }
}
