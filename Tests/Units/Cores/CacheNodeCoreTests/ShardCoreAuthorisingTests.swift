import ByteCoding
import CacheAccess
import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// Who is answered and who is not, by the list of keys.
@Suite struct ShardCoreAuthorisingTests {
    private static let list = """
        nobody   \(key(1))  metrics
        reader   \(key(2))  read               sessions,default/img:
        writer   \(key(3))  read,write         default
        purger   \(key(4))  invalidate
        node-1   \(key(5))  node
        boss     \(key(6))  admin
        """

    private static func key(_ number: Int) -> String {
        String(repeating: "0", count: 62) + "0\(number)"
    }

    /// Principals have the numbers of their lines, from 1.
    private enum Who: UInt32, CaseIterable {
        case stranger, nobody, reader, writer, purger, node, boss
    }

    private static func harness() throws -> ShardHarness {
        var harness = ShardHarness()
        harness.core.setAccess(try AccessTable(listing: list))
        return harness
    }

    /// Whether a message of somebody is refused for want of a right.
    private static func isDenied(
        _ frame: [UInt8], of who: Who, by harness: inout ShardHarness
    ) -> Bool {
        for reply in harness.send(frame, of: PrincipalNumber(rawValue: who.rawValue)) {
            if case .error(let error) = reply { return error.knownCode == .unauthorised }
        }
        return false
    }

    private static func denied(
        _ frame: [UInt8], by harness: inout ShardHarness
    ) -> Set<UInt32> {
        var denied: Set<UInt32> = []
        for who in Who.allCases where isDenied(frame, of: who, by: &harness) {
            denied.insert(who.rawValue)
        }
        return denied
    }

    private static func all(but allowed: Who...) -> Set<UInt32> {
        Set(Who.allCases.map(\.rawValue)).subtracting(allowed.map(\.rawValue))
    }

    @Test func getsRequireReadAccessToEachKeyOrTheNodeRole() throws {
        var harness = try Self.harness()
        let image = harness.getFrame(["img:1", "img:2"])
        #expect(Self.denied(image, by: &harness) == Self.all(but: .reader, .writer, .node, .boss))
        let mixed = harness.getFrame(["img:1", "other"])
        #expect(Self.denied(mixed, by: &harness) == Self.all(but: .writer, .node, .boss))
        var shape = RequestShape()
        shape.namespace = try #require(Namespace("sessions"))
        let session = harness.getFrame(["any"], [], shape)
        #expect(Self.denied(session, by: &harness) == Self.all(but: .reader, .node, .boss))
    }

    @Test func writingTakesItsOwnRight() throws {
        var harness = try Self.harness()
        let set = harness.setFrame("img:1", "v")
        #expect(Self.denied(set, by: &harness) == Self.all(but: .writer, .boss))
        let touch = harness.touchFrame("img:1", ttl: 1_000)
        #expect(Self.denied(touch, by: &harness) == Self.all(but: .writer, .boss))
        let delete = harness.deleteFrame(["img:1"])
        #expect(Self.denied(delete, by: &harness) == Self.all(but: .writer, .purger, .boss))
        let chunk = harness.frame(.chunk, count: 1) { _ in }
        #expect(
            Self.denied(chunk, by: &harness) == Self.all(but: .writer, .node, .boss),
            "a node forwards long values")
    }

    @Test func listsOfKeysAreForReadersOfAllThatTheyMayName() throws {
        var harness = try Self.harness()
        func scan(_ target: Scope.Target) -> [UInt8] {
            var writer = ByteWriter()
            ScanRequest(cursor: 0, limit: 10, target: target, isCountOnly: false)
                .encode(requestID: 1, into: &writer)
            return writer.array
        }
        let images = scan(.prefix(Array("img:a".utf8), in: .default))
        #expect(Self.denied(images, by: &harness) == Self.all(but: .reader, .writer, .node, .boss))
        let wider = scan(.prefix(Array("im".utf8), in: .default))
        #expect(Self.denied(wider, by: &harness) == Self.all(but: .writer, .node, .boss))
        let tagged = scan(.tag(.named("t"), in: .default))
        #expect(Self.denied(tagged, by: &harness) == Self.all(but: .writer, .node, .boss))
        let everything = scan(.everything)
        #expect(Self.denied(everything, by: &harness) == Self.all(but: .node, .boss))
    }

    @Test func questionsOfOperatorsTakeTheirRights() throws {
        var harness = try Self.harness()
        func count(_ scope: Scope) -> [UInt8] {
            var writer = ByteWriter()
            CountRequest(scopes: [scope]).encode(requestID: 1, into: &writer)
            return writer.array
        }
        #expect(
            Self.denied(count(.tag("t")), by: &harness) == Self.all(but: .writer, .purger, .boss))
        #expect(
            Self.denied(count(.prefix("img:")), by: &harness)
                == Self.all(but: .reader, .writer, .purger, .boss))
        for subject in KeyQuestion.Subject.allCases {
            var writer = ByteWriter()
            KeyQuestion(subject, of: try #require(CacheKey("img:1")), in: .default)
                .encode(requestID: 1, into: &writer)
            #expect(
                Self.denied(writer.array, by: &harness) == Self.all(but: .reader, .writer, .boss))
        }
        let status = harness.frame(.status, count: 0) { _ in }
        #expect(Self.denied(status, by: &harness) == Self.all(but: .nobody, .node, .boss))
        for type in [MessageType.drain, .queue] {
            let order = harness.frame(type, count: 0) { _ in }
            #expect(Self.denied(order, by: &harness) == Self.all(but: .boss), "\(type)")
        }
        for type in [MessageType.topology, .config] {
            let question = harness.frame(type, count: 0) { _ in }
            #expect(Self.denied(question, by: &harness) == [Who.stranger.rawValue], "\(type)")
        }
    }

    /// An administrator of one team, with number 1.
    private static func teamHarness() throws -> ShardHarness {
        var harness = ShardHarness()
        harness.core.setAccess(
            try AccessTable(listing: "team \(key(1)) admin team-a,team-b/mine:"))
        return harness
    }

    private static func order(
        _ order: QueueRequest.Order, _ key: String?, in name: String
    ) throws -> [UInt8] {
        var request = QueueRequest(order)
        request.namespace = try #require(Namespace(name))
        request.key = try key.map { try #require(CacheKey($0)) }
        var writer = ByteWriter()
        request.encode(requestID: 1, into: &writer)
        return writer.array
    }

    @Test(arguments: QueueRequest.Order.allCases)
    func anAdministratorOfAPatternReachesQueuedWritesOfThatPatternOnly(
        order: QueueRequest.Order
    ) throws {
        var harness = try Self.teamHarness()
        for (key, name, isAllowed) in [
            ("k", "team-a", true), ("mine:1", "team-b", true), ("other", "team-b", false),
            ("k", "team-c", false),
        ] {
            let frame = try Self.order(order, key, in: name)
            let isDenied = Self.isDenied(frame, of: .nobody, by: &harness)
            #expect(isDenied != isAllowed, "\(key) in \(name)")
        }
        harness.effects = []
        let everything = try Self.order(order, nil, in: "team-a")
        #expect(!Self.isDenied(everything, of: .nobody, by: &harness))
        guard case .askQueue(_, let question)? = harness.effects.first else {
            Issue.record("the queue is asked: \(harness.effects)")
            return
        }
        let key = try #require(CacheKey("mine:1"))
        #expect(question.covers(key, in: try #require(Namespace("team-a"))))
        #expect(question.covers(key, in: try #require(Namespace("team-b"))))
        #expect(!question.covers(key, in: try #require(Namespace("team-c"))))
        #expect(!question.shows(key, in: try #require(Namespace("team-c"))))
    }

    @Test func anAdministratorOfAPatternDoesNotDrainTheNodeOfAll() throws {
        var harness = try Self.teamHarness()
        var writer = ByteWriter()
        NodeOrder(.drain, try #require(NodeID("n1"))).encode(requestID: 1, into: &writer)
        #expect(Self.isDenied(writer.array, of: .nobody, by: &harness))
    }

    @Test func aRefusalIsTheSameWhetherAKeyIsThereOrNot() throws {
        var harness = try Self.harness()
        _ = harness.send(harness.setFrame("there", "v"), of: PrincipalNumber(rawValue: 3))
        harness.nextRequestID = 70
        let there = Self.bytes(harness.getFrame(["there"]), &harness)
        harness.nextRequestID = 70
        let absent = Self.bytes(harness.getFrame(["gone!"]), &harness)
        #expect(there == absent)
        #expect(harness.core.admission.statistics.denied == 2)
        #expect(harness.core.statistics.reads.gets == 0)
    }

    private static func bytes(_ frame: [UInt8], _ harness: inout ShardHarness) -> [[UInt8]] {
        harness.replies.removeAll()
        defer { harness.replies.removeAll() }
        frame.withUnsafeBytes { bytes in
            let frames = [
                RequestFrame(
                    peer: ShardHarness.peer, bytes: bytes, principal: PrincipalNumber(rawValue: 2))
            ]
            _ = frames.withUnsafeBufferPointer {
                harness.core.turn(
                    $0, from: 0, now: harness.now, into: &harness.replies,
                    effects: &harness.effects)
            }
        }
        return harness.replies.entries.map { [UInt8](harness.replies.bytes(of: $0)) }
    }

    @Test func aDeniedRequestCreatesNoNamespace() throws {
        var harness = try Self.harness()
        for number in 0..<5_000 {
            var shape = RequestShape()
            shape.namespace = try #require(Namespace("made-up-\(number)"))
            let frame = harness.getFrame(["k"], [], shape)
            #expect(Self.isDenied(frame, of: .reader, by: &harness))
            // Who is refused more often than that hears nothing.
            harness.advance(by: .milliseconds(1))
        }
        let fine = harness.getFrame(["img:1"])
        #expect(!Self.isDenied(fine, of: .reader, by: &harness))
    }

    @Test func whatWaitsIsAnsweredThoughItsRightIsGone() throws {
        var harness = try Self.harness()
        var shape = RequestShape()
        shape.atLeast = LogPosition(epoch: Epoch(1), sequence: SequenceNumber(1))
        let frame = harness.getFrame(["img:1"], [], shape)
        #expect(harness.send(frame, of: PrincipalNumber(rawValue: 2)).isEmpty)
        harness.core.setAccess(.empty)
        _ = harness.invalidate(.key("img:1"))
        let isAnswered = harness.finishWaiting().contains { reply in
            if case .results = reply { true } else { false }
        }
        #expect(isAnswered)
        let next = harness.getFrame(["img:1"])
        #expect(Self.isDenied(next, of: .reader, by: &harness))
    }

    @Test func aGuardedShardDeniesAllRequestsWithoutAnAccessTable() throws {
        let node = try #require(NodeID("n1"))
        var options = ShardOptions(
            node: node, shardIndex: ShardIndex(0), incarnation: Incarnation(7),
            memoryBytes: 8 << 20, seed: 1)
        options.isGuarded = true
        var harness = ShardHarness()
        harness.core = ShardCore(options: options)
        harness.core.configure([:], fallback: .standard)
        let frame = harness.frame(.topology, count: 0) { _ in }
        for who in Who.allCases {
            #expect(Self.isDenied(frame, of: who, by: &harness))
        }
    }

    @Test func withoutAnAccessListNoRequestIsDenied() {
        var harness = ShardHarness()
        let frame = harness.setFrame("k", "v")
        for who in Who.allCases {
            #expect(!Self.isDenied(frame, of: who, by: &harness))
        }
    }

    /// There are not many numbers, and none is ever free again.
    @Test func topologyOnlyPrincipalsUseUpNoNamespaceNumbers() throws {
        var harness = try Self.harness()
        for number in 0..<2_000 {
            var shape = RequestShape()
            shape.namespace = try #require(Namespace("made-up-\(number)"))
            for type in [MessageType.topology, .config, .status, .chunk, .queue] {
                let frame = harness.frame(type, count: 0, shape) { _ in }
                _ = harness.send(frame, of: PrincipalNumber(rawValue: Who.nobody.rawValue))
            }
            harness.advance(by: .milliseconds(5))
        }
        var shape = RequestShape()
        shape.namespace = try #require(Namespace("sessions"))
        let frame = harness.getFrame(["k"], [], shape)
        let answers = harness.send(frame, of: PrincipalNumber(rawValue: Who.reader.rawValue))
        #expect(answers.count == 1)
        guard case .results = answers.first else {
            Issue.record("a namespace that is new is served: \(answers)")
            return
        }
    }

    /// A client that may write everywhere can store in namespaces of any name.
    @Test func configuredNamespacesAreServedHoweverManyOthersAreMadeUp() throws {
        var harness = ShardHarness()
        let configured = try #require(Namespace("sessions"))
        harness.core.configure([configured: NamespacePolicy()], fallback: NamespacePolicy())
        var last: [ShardHarness.Reply] = []
        for number in 0..<2_000 {
            var shape = RequestShape()
            shape.namespace = try #require(Namespace("made-up-\(number)"))
            last = harness.send(harness.setFrame("k", "v", .init(), shape))
        }
        guard case .error(let error) = last.first else {
            Issue.record("namespaces are bounded: \(last)")
            return
        }
        #expect(error.knownCode == .busy)
        var shape = RequestShape()
        shape.namespace = configured
        guard case .results = harness.send(harness.getFrame(["k"], [], shape)).first else {
            Issue.record("one that is configured is served")
            return
        }
    }
}
