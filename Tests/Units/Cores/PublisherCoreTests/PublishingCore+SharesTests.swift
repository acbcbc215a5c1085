import ByteCoding
import CacheAccess
import CacheInvalidation
import CacheModel
import CacheWire
import Testing

@testable import PublisherCore

/// How much of the room for what waits one key may have: half, or what its line says.
@Suite struct PublishingCoreSharesTests {
    private static let list = """
        purger  \(key(1))  invalidate
        other   \(key(2))  invalidate
        narrow  \(key(3))  invalidate  *  waiting=3
        n1      \(key(4))  node
        """

    private static func key(_ number: Int) -> String {
        String(repeating: "0", count: 62) + "0\(number)"
    }

    private static func cluster() throws -> Cluster {
        var cluster = try Cluster.live(nodes: 2)
        cluster.core.setAccess(try AccessTable(listing: list))
        return cluster
    }

    private static func invalidation(
        wait: WaitMode = .all, scopes: [Scope] = [Scope(.everything)]
    ) -> [UInt8] {
        let request = InvalidateRequest(
            scopes: scopes, wait: wait, timeoutMilliseconds: 60_000, operation: .none)
        return Cluster.bytes { request.encode(requestID: 1, into: &$0) }
    }

    private static func question(_ sequence: UInt64) -> [UInt8] {
        let request = AwaitRequest(
            position: .at(sequence), wait: .all, timeoutMilliseconds: 60_000)
        return Cluster.bytes { request.encode(requestID: 2, into: &$0) }
    }

    private static func isBusy(_ cluster: inout Cluster, to peer: UInt8) throws -> Bool {
        cluster.tick()
        let errors = try cluster.hear(peer).filter { $0[3] == MessageType.error.rawValue }
            .map { try Cluster.decode($0) { try ErrorReply(decoding: $0) } }
        #expect(errors.allSatisfy { $0.knownCode == .busy && $0.message.contains("your key") })
        return !errors.isEmpty
    }

    @Test func oneCredentialLeavesHalfOfTheWaitSlotsToOthers() throws {
        var cluster = try Self.cluster()
        let half = InvalidationLimits.waitsMax / 2
        for _ in 0..<half { cluster.send(Self.invalidation(), from: 91, of: 1) }
        #expect(try !Self.isBusy(&cluster, to: 91))
        for _ in 0..<half { cluster.send(Self.invalidation(), from: 91, of: 1) }
        #expect(try Self.isBusy(&cluster, to: 91))
        cluster.send(Self.question(1), from: 95, of: 1)
        #expect(try Self.isBusy(&cluster, to: 95), "on another connection neither")
        cluster.send(Self.invalidation(wait: .none), from: 92, of: 2)
        cluster.tick()
        #expect(try cluster.receipt(to: 92).isComplete, "others are served")
        #expect(cluster.core.log.head.position == .at(UInt64(half) + 1))
        // The leases end, and so does what was waited for.
        cluster.tick(at: cluster.second + 4)
        #expect(cluster.hear(91).count == half)
        cluster.send(Self.invalidation(), from: 91, of: 1)
        #expect(try !Self.isBusy(&cluster, to: 91))
    }

    @Test func aLineSaysHowManyOfItsKeyMayWait() throws {
        var cluster = try Self.cluster()
        cluster.send(Self.invalidation(), from: 93, of: 3)
        cluster.tick()
        for _ in 0..<2 { cluster.send(Self.question(1), from: 93, of: 3) }
        #expect(try !Self.isBusy(&cluster, to: 93))
        cluster.send(Self.question(1), from: 93, of: 3)
        #expect(try Self.isBusy(&cluster, to: 93))
        cluster.send(Self.invalidation(), from: 93, of: 3)
        #expect(try Self.isBusy(&cluster, to: 93))
        cluster.send(Self.invalidation(), from: 92, of: 2)
        #expect(try !Self.isBusy(&cluster, to: 92))
    }

    @Test func queuedBytesAreSharedPerCredentialAndReleasedOnEveryExit() throws {
        var cluster = try Self.cluster()
        let long = try (0..<15).map { number in
            Scope(
                .key(
                    try #require(CacheKey(String(repeating: "k", count: 4_000) + "\(number)")),
                    in: .default))
        }
        let frame = Self.invalidation(wait: .none, scopes: long)
        cluster.core.log.isSlow = true
        /// As many as one key may have queued, and one more.
        func fill() throws {
            for _ in 0...PublisherLimits.queuedBytesMax / 2 / (frame.count - 64) {
                cluster.send(frame, from: 91, of: 1)
            }
            #expect(try Self.isBusy(&cluster, to: 91))
            cluster.send(frame, from: 92, of: 2)
            #expect(try !Self.isBusy(&cluster, to: 92))
        }
        // One is being written, and holds up the rest, until it is refused.
        cluster.send(frame, from: 91, of: 1)
        cluster.tick()
        try fill()
        try cluster.finishAppend(refusedBy: .storage("full"))
        cluster.tick()
        // All that was queued is being written now, and leaves room; then it is numbered anew.
        cluster.forget()
        cluster.send(frame, from: 91, of: 1)
        #expect(try !Self.isBusy(&cluster, to: 91))
        cluster.core.openEpoch(Epoch(2))
        cluster.tick()
        cluster.send(frame, from: 91, of: 1)
        #expect(try !Self.isBusy(&cluster, to: 91))
        try fill()
        // What is queued leaves for its age, and what is written is answered.
        cluster.tick(at: cluster.second + 61)
        try cluster.finishAppend()
        cluster.tick()
        cluster.send(frame, from: 91, of: 1)
        cluster.tick()
        cluster.forget()
        try fill()
    }

    @Test func nodesWaitForAsManyAsTheyWant() throws {
        var cluster = try Self.cluster()
        for _ in 0..<InvalidationLimits.waitsMax / 2 + 1 {
            cluster.send(Self.invalidation(), from: 94, of: 4)
        }
        #expect(try !Self.isBusy(&cluster, to: 94))
    }

    private static func isReport(_ frame: [UInt8]) -> Bool {
        frame[3] == MessageType.pacingReport.rawValue
    }

    private static func pace(_ operation: UInt64, for seconds: UInt32) -> [UInt8] {
        var request = PaceRequest(.begin)
        request.scopes = [Scope(.everything)]
        request.spanMilliseconds = seconds * 1_000
        request.operation = OperationID(high: 5, low: operation << 32)
        return Cluster.bytes { request.encode(requestID: 3, into: &$0) }
    }

    @Test func oneCredentialMayRunHalfOfAllPacings() throws {
        var cluster = try Self.cluster()
        let half = PublisherLimits.pacingsMax / 2
        for number in 1...half {
            cluster.send(Self.pace(UInt64(number), for: 600), from: 91, of: 1)
        }
        #expect(cluster.hear(91).filter(Self.isReport).count == half)
        cluster.send(Self.pace(99, for: 600), from: 96, of: 1)
        let refusal = try cluster.error(to: 96)
        #expect(refusal.knownCode == .busy && refusal.message.contains("your key"))
        #expect(refusal.message.contains("in 599 s"), "\(refusal.message)")
        for number in 1...half {
            cluster.send(Self.pace(100 + UInt64(number), for: 600), from: 92, of: 2)
        }
        #expect(cluster.hear(92).filter(Self.isReport).count == half)
        cluster.send(Self.pace(99, for: 600), from: 93, of: 3)
        #expect(try cluster.error(to: 93).message.contains("run already"))
    }

    @Test func ordersWaitingForTheDiskLeaveSpaceForOtherCredentials() throws {
        var cluster = try Cluster.live(nodes: 2, outlivesItsProcess: true)
        cluster.core.setAccess(try AccessTable(listing: Self.list))
        let order = Self.pace(1, for: 600)
        for _ in 0...PublisherLimits.paceAskersMax { cluster.send(order, from: 91, of: 1) }
        #expect(cluster.hear(91).count == PublisherLimits.paceAskersMax / 2 + 1)
        cluster.send(order, from: 92, of: 2)
        #expect(cluster.hear(92).isEmpty, "it waits")
    }
}
