import ByteCoding
import CacheLoading
import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// What a peer's answer is worth, and that a load leaves the peers once, whatever comes.
@Suite struct PeerLoadsTests {
    private static let now = Instant(nanoseconds: 1_000_000_000)
    private static let ticket = LoadTicket(shard: 0, number: 1)

    private static func position(_ epoch: UInt32, _ sequence: UInt64) -> LogPosition {
        LogPosition(epoch: Epoch(epoch), sequence: SequenceNumber(sequence))
    }

    /// A value that has asked its only peer for something at 7:10, and where.
    private static func asked() throws -> (peers: PeerLoads, endpoint: String, request: UInt64) {
        let own = try #require(NodeID("own"))
        let peer = try #require(NodeID("peer"))
        var peers = PeerLoads(node: own)
        var actions: [PeerLoads.Action] = []
        let report = TopologyReport(
            version: 1, kind: .replicated, controlEndpoint: "", liveEndpoint: "",
            nodes: [TopologyReport.Node(id: peer, state: nil, endpoints: ["tcp://127.0.0.1:1"])])
        peers.setTopology(Topology(report), now: now, into: &actions)
        let request = OriginRequest(
            namespace: .default, key: try #require(CacheKey("a")),
            policy: OriginPolicy(url: "http://origin/{key}"), valueBytesMax: 1 << 20,
            timeout: .seconds(5))
        peers.make(
            ShardLoad(
                number: 1, request: request, urgency: .awaited,
                peer: PeerTerms(atLeast: position(7, 10), freshness: .any)),
            ticket, now: now, into: &actions)
        guard case .send(let endpoint, let frame)? = actions.first, actions.count == 1 else {
            throw CancellationError()
        }
        return (peers, endpoint, frame.withUnsafeBytes { MessageHeader.requestID(ofDamaged: $0) })
    }

    private static func hit(
        _ request: UInt64, proof: LogPosition, fill: LogPosition?, hasTerms: Bool = true
    ) -> [UInt8] {
        var writer = ByteWriter()
        let message = MessageWriter(.results, requestID: request, into: &writer)
        Proof(position: proof, state: .live, leaseLeftMilliseconds: 1_000, topologyVersion: 1)
            .encode(into: &writer)
        let start = writer.count
        OperationResult.append(.hit, to: &writer)
        if let fill { OperationResult.appendField(fillPosition: fill, to: &writer) }
        if hasTerms {
            OperationResult.appendField(
                terms: ResultFields.Terms(
                    staleWhileRevalidate: 0, staleIfError: 0, mustNotBeKept: false),
                to: &writer)
        }
        OperationResult.finishFields(from: start, in: &writer)
        Array("one".utf8).withUnsafeBytes {
            OperationResult.appendValue($0, at: start, to: &writer)
        }
        message.finish(&writer, count: 1)
        return writer.array
    }

    /// Whether the answer is taken; if not, the origin is asked.
    private static func isTaken(_ frame: (UInt64) -> [UInt8]) throws -> Bool {
        var (peers, endpoint, request) = try asked()
        var actions: [PeerLoads.Action] = []
        frame(request).withUnsafeBytes {
            peers.received($0, from: endpoint, now: now, into: &actions)
        }
        try #require(actions.count == 1)
        #expect(peers.nextDeadline == nil || peers.askedEndpoints.isEmpty)
        switch actions[0] {
        case .answer(ticket, .value(let bytes, _)): return bytes == Array("one".utf8)
        case .askOrigin(ticket, _, .awaited): return false
        default:
            Issue.record("the load is answered, or goes to the origin: \(actions)")
            return false
        }
    }

    @Test func aPeerAtLeastAsFarInTheLogIsTrusted() throws {
        let fill = Self.position(7, 3)
        for sequence in 10...12 as ClosedRange<UInt64> {
            #expect(
                try Self.isTaken {
                    Self.hit($0, proof: Self.position(7, sequence), fill: fill)
                })
        }
    }

    @Test func aPeerBehindOrOfAnotherEpochIsNotTrusted() throws {
        let fill = Self.position(7, 3)
        for proof in [Self.position(7, 9), Self.position(6, 99), Self.position(8, 10)] {
            #expect(try !Self.isTaken { Self.hit($0, proof: proof, fill: fill) }, "\(proof)")
        }
    }

    @Test func aValueWithoutItsFillOrItsTermsIsNone() throws {
        let proof = Self.position(7, 10)
        #expect(try !Self.isTaken { Self.hit($0, proof: proof, fill: nil) })
        #expect(try !Self.isTaken { Self.hit($0, proof: proof, fill: Self.position(6, 3)) })
        #expect(
            try !Self.isTaken {
                Self.hit($0, proof: proof, fill: Self.position(7, 3), hasTerms: false)
            })
        #expect(try !Self.isTaken { Array(Self.hit($0, proof: proof, fill: nil).dropLast()) })
    }

    @Test func whatAnswersNoQuestionChangesNothing() throws {
        var (peers, endpoint, request) = try Self.asked()
        var actions: [PeerLoads.Action] = []
        let fill = Self.position(7, 3)
        let frames = [
            (Self.hit(request &+ 1, proof: Self.position(7, 10), fill: fill), endpoint),
            (Self.hit(request, proof: Self.position(7, 10), fill: fill), "tcp://127.0.0.1:2"),
            ([], endpoint),
        ]
        for (frame, place) in frames {
            frame.withUnsafeBytes {
                peers.received($0, from: place, now: Self.now, into: &actions)
            }
        }
        #expect(actions.isEmpty && peers.askedEndpoints == [endpoint])
        peers.leave(Self.ticket, now: Self.now, into: &actions)
        peers.leave(Self.ticket, now: Self.now, into: &actions)
        #expect(actions.count == 1, "it leaves once")
    }

    @Test func aPeerThatLeavesTheClusterIsNotWaitedFor() throws {
        var (peers, endpoint, _) = try Self.asked()
        var actions: [PeerLoads.Action] = []
        let report = TopologyReport(
            version: 2, kind: .replicated, controlEndpoint: "", liveEndpoint: "", nodes: [])
        peers.setTopology(Topology(report), now: Self.now, into: &actions)
        guard case .askOrigin? = actions.first else {
            Issue.record("its load goes to the origin: \(actions)")
            return
        }
        #expect(actions.last == .close(endpoint: endpoint))
        #expect(peers.nextDeadline == nil)
    }
}
