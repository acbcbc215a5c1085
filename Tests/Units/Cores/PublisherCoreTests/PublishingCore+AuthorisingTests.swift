import ByteCoding
import CacheAccess
import CacheModel
import CacheWire
import PublisherCore
import Testing

/// Who may say what to the publisher, by the list of keys.
@Suite struct PublishingCoreAuthorisingTests {
    private static let list = """
        n1      \(key(1))  node
        n2      \(key(2))  node
        purger  \(key(3))  invalidate  default/img:,sessions
        boss    \(key(4))  admin
        meter   \(key(5))  metrics
        reader  \(key(6))  read
        part    \(key(7))  read        sessions
        team    \(key(8))  admin       sessions
        """

    private static func key(_ number: Int) -> String {
        String(repeating: "0", count: 62) + "0\(number)"
    }

    /// Principals have the numbers of their lines, from 1.
    private enum Who: UInt32, CaseIterable {
        case stranger, n1, n2, purger, boss, meter, reader, part, team
    }

    private static func cluster() throws -> Cluster {
        // Two nodes whose runs are known, before anybody is asked who they are.
        var cluster = try Cluster.live(nodes: 2)
        cluster.forget()
        cluster.core.setAccess(try AccessTable(listing: list))
        return cluster
    }

    /// Who is refused for want of a right.
    private static func denied(
        _ cluster: inout Cluster, _ encode: (inout ByteWriter) -> Void
    ) throws -> Set<UInt32> {
        var denied: Set<UInt32> = []
        for who in Who.allCases {
            let peer = UInt8(100 + who.rawValue)
            cluster.send(Cluster.bytes(encode), from: peer, of: who.rawValue)
            cluster.tick()
            let errors = try cluster.hear(peer).filter { $0[3] == MessageType.error.rawValue }
                .map { try Cluster.decode($0) { try ErrorReply(decoding: $0) } }
            if errors.contains(where: { $0.knownCode == .unauthorised }) {
                denied.insert(who.rawValue)
            }
        }
        return denied
    }

    private static func all(but allowed: Who...) -> Set<UInt32> {
        Set(Who.allCases.map(\.rawValue)).subtracting(allowed.map(\.rawValue))
    }

    @Test func aNodeSpeaksForItselfAlone() throws {
        var cluster = try Self.cluster()
        let hello = Hello(
            incarnation: Incarnation(40), log: .none, applied: .none,
            node: try #require(NodeID("n1")), endpoints: ["tcp://127.0.0.1:7510"])
        #expect(
            try Self.denied(&cluster) { hello.encode(requestID: 1, into: &$0) }
                == Self.all(but: .n1))
        let ping = Ping(
            incarnation: Incarnation(2), sentAt: 7, applied: .none, state: .live, purpose: .lease)
        #expect(
            try Self.denied(&cluster) { ping.encode(requestID: 2, into: &$0) }
                == Self.all(but: .n2))
        let resume = Resume(
            incarnation: Incarnation(1), log: .none, after: .none, limit: 10)
        #expect(
            try Self.denied(&cluster) { resume.encode(requestID: 3, into: &$0) }
                == Self.all(but: .n1))
    }

    @Test func anAcknowledgementCountsOnlyWithTheNodesOwnCredential() throws {
        var cluster = try Self.cluster()
        let before = cluster.core.statistics.acknowledgements
        let ack = Ack(incarnation: Incarnation(1), applied: .none)
        for who in Who.allCases where who != .n1 {
            let bytes = Cluster.bytes { ack.encode(requestID: 0, into: &$0) }
            cluster.send(bytes, from: 90, of: who.rawValue)
        }
        #expect(cluster.core.statistics.acknowledgements == before)
        cluster.send(
            Cluster.bytes { ack.encode(requestID: 0, into: &$0) }, from: 90, of: Who.n1.rawValue)
        #expect(cluster.core.statistics.acknowledgements == before + 1)
    }

    @Test func onlyNodesAndReadersOfEverythingMayReadTheLog() throws {
        var cluster = try Self.cluster()
        let resume = Resume(incarnation: .none, log: .none, after: .none, limit: 10)
        #expect(
            try Self.denied(&cluster) { resume.encode(requestID: 1, into: &$0) }
                == Self.all(but: .n1, .n2, .boss, .reader))
    }

    @Test func anInvalidationTakesTheRightForAllThatItCovers() throws {
        var cluster = try Self.cluster()
        func denied(_ scopes: Scope...) throws -> Set<UInt32> {
            let request = InvalidateRequest(
                scopes: scopes, wait: .none, timeoutMilliseconds: 100, operation: .none)
            return try Self.denied(&cluster) { request.encode(requestID: 1, into: &$0) }
        }
        let sessions = try #require(Namespace("sessions"))
        let image = Scope(.key(try #require(CacheKey("img:1")), in: .default))
        let other = Scope(.key(try #require(CacheKey("other")), in: .default))
        let mine = Self.all(but: .n1, .n2, .purger, .boss)
        let notMine = Self.all(but: .n1, .n2, .boss)
        #expect(try denied(image) == mine)
        #expect(try denied(image, other) == notMine)
        #expect(try denied(Scope(.prefix(Array("img:a".utf8), in: .default))) == mine)
        #expect(try denied(Scope(.prefix(Array("img".utf8), in: .default))) == notMine)
        let sessionsAreMine = mine.subtracting([Who.team.rawValue])
        #expect(try denied(Scope(.tag(try #require(Tag("t")), in: sessions))) == sessionsAreMine)
        #expect(try denied(Scope(.tag(try #require(Tag("t")), in: .default))) == notMine)
        #expect(try denied(Scope(.namespace(sessions))) == sessionsAreMine)
        #expect(try denied(Scope(.everything)) == notMine)
    }

    @Test func aRecordsIssuerIsTheAuthenticatedPrincipal() throws {
        var cluster = try Self.cluster()
        func issuer(_ claimed: String?, as who: Who) throws -> String? {
            var request = InvalidateRequest(
                scopes: [Scope(.namespace(try #require(Namespace("sessions"))))], wait: .none,
                timeoutMilliseconds: 100, operation: .none)
            request.issuer = claimed.flatMap { Issuer($0) }
            cluster.send(
                Cluster.bytes { request.encode(requestID: 1, into: &$0) }, from: 91,
                of: who.rawValue)
            cluster.tick()
            let position = try cluster.receipt(to: 91).position
            let question = AwaitRequest(
                position: position, wait: .none, timeoutMilliseconds: 100)
            cluster.send(
                Cluster.bytes { question.encode(requestID: 2, into: &$0) }, from: 92,
                of: Who.boss.rawValue)
            cluster.tick()
            return try cluster.receipt(to: 92).issuer?.name
        }
        #expect(try issuer(nil, as: .purger) == "purger")
        #expect(try issuer("boss", as: .purger) == "purger (boss)")
        #expect(try issuer("node:n1", as: .n1) == "node:n1")
    }

    @Test func aReceiptNamesTheIssuerOnlyToReadersOfTheRecord() throws {
        var cluster = try Self.cluster()
        let request = InvalidateRequest(
            scopes: [Scope(.everything)], wait: .none, timeoutMilliseconds: 100, operation: .none)
        cluster.send(
            Cluster.bytes { request.encode(requestID: 1, into: &$0) }, from: 91,
            of: Who.boss.rawValue)
        cluster.tick()
        let position = try cluster.receipt(to: 91).position
        func issuer(askedBy who: Who) throws -> String? {
            let question = AwaitRequest(position: position, wait: .none, timeoutMilliseconds: 100)
            cluster.send(
                Cluster.bytes { question.encode(requestID: 2, into: &$0) }, from: 92,
                of: who.rawValue)
            cluster.tick()
            return try cluster.receipt(to: 92).issuer?.name
        }
        #expect(try issuer(askedBy: .purger) == nil)
        #expect(try issuer(askedBy: .boss) == "boss")
        #expect(try issuer(askedBy: .n1) == "boss")
    }

    @Test func whetherAnothersPacingRunsIsNotToldByCancellingIt() throws {
        var cluster = try Self.cluster()
        var begin = PaceRequest(.begin)
        begin.scopes = [Scope(.everything)]
        begin.spanMilliseconds = 60_000
        begin.operation = OperationID(high: 1, low: 1)
        cluster.send(
            Cluster.bytes { begin.encode(requestID: 1, into: &$0) }, from: 91,
            of: Who.boss.rawValue)
        cluster.forget()
        func refusal(of number: UInt64) throws -> ErrorReply {
            var cancel = PaceRequest(.cancel)
            cancel.id = PacingID(number)
            cluster.send(
                Cluster.bytes { cancel.encode(requestID: 2, into: &$0) }, from: 92,
                of: Who.purger.rawValue)
            return try cluster.error(to: 92)
        }
        let (running, unknown) = (try refusal(of: 1), try refusal(of: 2))
        #expect(running.code == unknown.code)
        #expect(
            running.message.replacing("1", with: "N") == unknown.message.replacing("2", with: "N"))
        #expect(cluster.core.statistics.denied == 1)
        cluster.send(
            Cluster.bytes { PaceRequest(.list).encode(requestID: 3, into: &$0) }, from: 91,
            of: Who.boss.rawValue)
        let lines = try cluster.hear(91, .pacingReport) { try PacingReport(decoding: $0) }.lines
        #expect(lines.map(\.state) == [.running])
    }

    @Test func figuresReceiptsAndOrdersTakeTheirRights() throws {
        var cluster = try Self.cluster()
        #expect(
            try Self.denied(&cluster) { Self.empty(.status, into: &$0) }
                == Self.all(but: .n1, .n2, .boss, .meter, .team))
        #expect(
            try Self.denied(&cluster) { Self.empty(.topology, into: &$0) }
                == Set([Who.stranger.rawValue]))
        let question = AwaitRequest(
            position: .none, wait: .none, timeoutMilliseconds: 1)
        #expect(
            try Self.denied(&cluster) { question.encode(requestID: 1, into: &$0) }
                == Self.all(but: .n1, .n2, .purger, .boss, .team))
        #expect(
            try Self.denied(&cluster) { PaceRequest(.list).encode(requestID: 1, into: &$0) }
                == Self.all(but: .n1, .n2, .purger, .boss, .team))
    }

    @Test func onlyAnAdministratorOfEverythingForgetsNodes() throws {
        var cluster = try Self.cluster()
        let order = NodeOrder(.forget, try #require(NodeID("n2")))
        #expect(
            try Self.denied(&cluster) { order.encode(requestID: 1, into: &$0) }
                == Self.all(but: .boss))
    }

    private static func empty(_ type: MessageType, into writer: inout ByteWriter) {
        MessageWriter(type, requestID: 1, into: &writer).finish(&writer, count: 0)
    }

    @Test func aRightThatIsTakenAwayIsGoneWithTheNextMessage() throws {
        var cluster = try Self.cluster()
        let status = Cluster.bytes { Self.empty(.status, into: &$0) }
        cluster.send(status, from: 90, of: Who.meter.rawValue)
        #expect(cluster.hear(90).first?[3] == MessageType.statusReport.rawValue)
        cluster.core.setAccess(.empty)
        cluster.send(status, from: 90, of: Who.meter.rawValue)
        #expect(try cluster.error(to: 90).knownCode == .unauthorised)
        #expect(cluster.core.statistics.denied == 1)
    }

    private static func greets(
        _ cluster: inout Cluster, as who: Who, run: UInt64, at port: Int
    ) throws {
        let hello = Hello(
            incarnation: Incarnation(run), log: .none, applied: .none,
            node: try #require(NodeID("n1")), endpoints: ["tcp://127.0.0.1:\(port)"])
        cluster.send(
            Cluster.bytes { hello.encode(requestID: 1, into: &$0) }, from: 50, of: who.rawValue)
        cluster.tick()
        cluster.forget()
    }

    private static func topology(_ cluster: inout Cluster) throws -> TopologyReport {
        cluster.send(
            Cluster.bytes { empty(.topology, into: &$0) }, from: 90, of: Who.n2.rawValue)
        return try cluster.hear(90, .topologyReport) { try TopologyReport(decoding: $0) }
    }

    /// The thief of a node's key has told places of its own.
    @Test func theTopologyOmitsEndpointsReportedByARevokedCredential() throws {
        var cluster = try Self.cluster()
        try Self.greets(&cluster, as: .n1, run: 40, at: 6_666)
        let before = try Self.topology(&cluster)
        #expect(before.nodes[0].endpoints == ["tcp://127.0.0.1:6666"])
        let (whole, without) = try (Self.table(), Self.table(without: "n1"))
        cluster.core.setAccess(without)
        let after = try Self.topology(&cluster)
        #expect(after.nodes.map(\.endpoints) == [[""], before.nodes[1].endpoints])
        #expect(after.version > before.version)
        // The node has its line again, and is asked to say where it is.
        cluster.core.setAccess(whole)
        #expect(try Self.topology(&cluster).nodes[0].endpoints == [""])
        cluster.forget()
        let ping = Ping(
            incarnation: Incarnation(40), sentAt: 7, applied: .none, state: .live,
            purpose: .lease)
        cluster.send(
            Cluster.bytes { ping.encode(requestID: 2, into: &$0) }, from: 50, of: Who.n1.rawValue)
        #expect(try cluster.error(to: 50).knownCode == .notRegistered)
        try Self.greets(&cluster, as: .n1, run: 40, at: 7_510)
        #expect(try Self.topology(&cluster).nodes[0].endpoints == ["tcp://127.0.0.1:7510"])
        cluster.send(
            Cluster.bytes { ping.encode(requestID: 3, into: &$0) }, from: 50, of: Who.n1.rawValue)
        #expect(cluster.hear(50).contains { $0[3] == MessageType.pong.rawValue })
    }

    /// As by a key of its own, or by rights that were taken: whoever is no node any more is none.
    @Test(arguments: ["n1      KEY  read", "n3      KEY  node"])
    func aNodesEndpointIsDroppedOnceItsCredentialNoLongerMatches(line: String) throws {
        var cluster = try Self.cluster()
        try Self.greets(&cluster, as: .n1, run: 40, at: 6_666)
        let lines = Self.list.split(separator: "\n").dropFirst().map(String.init)
        let text = [line.replacing("KEY", with: Self.key(1))] + lines
        cluster.core.setAccess(try AccessTable(listing: text.joined(separator: "\n")))
        #expect(try Self.topology(&cluster).nodes[0].endpoints == [""])
    }

    private static func table(without name: String? = nil) throws -> AccessTable {
        let entries = try AccessList(parsing: list).entries.map { entry in
            entry.name == name ? nil : entry
        }
        return AccessTable([nil] + entries)
    }
}
