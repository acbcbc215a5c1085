import CacheModel
import CacheSimulation
import EtcdStorage
import SharedLogCore
import TestSupport
import Testing

/// The client against a real member of etcd.
@Suite(.enabled(if: EtcdServer.isInstalled, "etcd-server is not installed"))
struct EtcdClientTests {
    private static func value(_ text: String) -> [UInt8] { Array(text.utf8) }

    private func executed(_ outcome: StoreOutcome) throws -> (Bool, [[StorePair]]) {
        guard case .transaction(let isExecuted, let pairs) = try outcome.get().content else {
            throw GaveUp("no answer to a transaction: \(outcome)")
        }
        return (isExecuted, pairs)
    }

    @Test func aTransactionIsExecutedOnlyIfEveryConditionHolds() async throws {
        let server = try await EtcdServer()
        let client = try Connection(server)
        let put = StoreTransaction(
            conditions: [.isAbsent("/t/a")], changes: [.put("/t/a", [0, 255, 10])],
            reads: [.init(.key("/t/a"))])
        #expect(
            try executed(await client.send(.transaction(put)))
                == (true, [[StorePair("/t/a", [0, 255, 10])]]))
        // The fences: absence, and another value.
        #expect(try executed(await client.send(.transaction(put))).0 == false)
        for (value, isEqual) in [([0, 255, 10] as [UInt8], true), ([0, 255], false), ([], false)] {
            let compare = StoreTransaction(
                conditions: [.isEqual("/t/a", value)], changes: [.put("/t/b", value)])
            #expect(try executed(await client.send(.transaction(compare))).0 == isEqual)
        }
        // A missing key has no value, not even the empty one.
        let missing = StoreTransaction(
            conditions: [.isEqual("/t/none", [])], changes: [.put("/t/c", [1])])
        #expect(try executed(await client.send(.transaction(missing))).0 == false)
    }

    /// The model that the simulation and the tests of the cores use says the same as etcd.
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func theModelOfAStoreAnswersAsEtcdDoes(seed: UInt64) async throws {
        let server = try await EtcdServer()
        let client = try Connection(server)
        var model = SimulatedStore()
        var dice = SeededGenerator(seed: seed)
        let names = (0..<6).map { "/m/k\($0)" }
        func value() -> [UInt8] { [UInt8.random(in: 0...2, using: &dice)] }
        func name() -> String { names.randomElement(using: &dice) ?? names[0] }
        for step in 0..<150 {
            var transaction = StoreTransaction()
            for _ in 0..<Int.random(in: 0...2, using: &dice) {
                transaction.conditions.append(
                    Bool.random(using: &dice) ? .isAbsent(name()) : .isEqual(name(), value()))
            }
            // etcd refuses a transaction that changes a key twice.
            for key in names.shuffled(using: &dice).prefix(Int.random(in: 0...2, using: &dice)) {
                transaction.changes.append(
                    Bool.random(using: &dice) ? .put(key, value()) : .remove(.key(key)))
            }
            transaction.reads = [
                .init(.key(name())), .init(.from("/m/k1", before: "/m/k4"), countMax: 2),
                .init(.from("/m/", before: "/m0")),
            ]
            let (isExecuted, pairs) = try executed(await client.send(.transaction(transaction)))
            let expected = try executed(model.execute(.transaction(transaction)))
            #expect(isExecuted == expected.0, "step \(step)")
            #expect(pairs == expected.1, "step \(step)")
        }
    }

    @Test func aKeyEndsWithItsLease() async throws {
        let server = try await EtcdServer()
        let client = try Connection(server)
        guard case .lease(let lease) = try await client.send(.grantLease(.seconds(4))).get().content
        else { throw GaveUp("no lease") }
        let put = StoreTransaction(changes: [.put("/l/a", [1], lease: lease)])
        #expect(try executed(await client.send(.transaction(put))).0)
        #expect(
            try await client.send(.keepAlive(lease)).get().content == .keptAlive(isKnown: true))
        let read = StoreTransaction(reads: [.init(.key("/l/a"))])
        try await eventually("the key ends") {
            try executed(await client.send(.transaction(read))).1 == [[]]
        }
        #expect(
            try await client.send(.keepAlive(lease)).get().content == .keptAlive(isKnown: false))
        // A put with a lease that is over is refused, and changes nothing.
        guard case .failure(.refused) = await client.send(.transaction(put)) else {
            throw GaveUp("a lease that is over was taken")
        }
    }

    @Test func theNextMemberIsAskedAfterOneThatDoesNotAnswer() async throws {
        let server = try await EtcdServer()
        let silent = try TCPSocket.listening()
        defer { silent.close() }
        let client = try Connection([
            "http://127.0.0.1:\(silent.port)", server.endpoint,
        ])
        let read = StoreRequest.transaction(StoreTransaction(reads: [.init(.key("/x"))]))
        guard case .failure(.unknown(let reason)) = await client.send(read) else {
            throw GaveUp("a socket that says nothing has answered")
        }
        #expect(reason == "etcd does not answer within 0.9 seconds")
        #expect(try await client.send(read).get().revision > 0)
    }

    /// Otherwise one failed test would keep all others from their end.
    @Test func aStoppedMemberEndsWithItsTest() async throws {
        let endpoint = try await {
            let server = try await EtcdServer()
            server.pause()
            return server.endpoint
        }()
        let put = StoreRequest.transaction(StoreTransaction(changes: [.put("/x", [1])]))
        guard case .failure = await (try Connection([endpoint])).send(put) else {
            throw GaveUp("a member that has ended has answered")
        }
    }

    @Test func aMemberThatHangsOrIsGoneGivesAnUnknownOutcome() async throws {
        let server = try await EtcdServer()
        let client = try Connection(server, requestTime: .seconds(1))
        let put = StoreRequest.transaction(StoreTransaction(changes: [.put("/x", [1])]))
        #expect(try executed(await client.send(put)).0)
        server.pause()
        guard case .failure(.unknown) = await client.send(put) else {
            throw GaveUp("a stopped member has answered")
        }
        server.resume()
        try await eventually("it answers again") { try executed(await client.send(put)).0 }
        server.kill()
        guard case .failure(.unknown) = await client.send(put) else {
            throw GaveUp("a dead member has answered")
        }
        try await server.start()
        #expect(try executed(await client.send(put)).0)
    }

    @Test func aWrongPasswordIsRefusedAndATokenThatIsOverIsRenewed() async throws {
        let server = try await EtcdServer()
        try server.control("user", "add", "root:secret")
        try server.control("user", "grant-role", "root", "root")
        let isOn = try server.control("auth", "enable")
        try #require(isOn)
        let put = StoreRequest.transaction(StoreTransaction(changes: [.put("/x", [1])]))
        var options = EtcdOptions(endpoints: [server.endpoint])
        options.user = "root"
        options.password = "wrong"
        let stranger = try Connection(options)
        guard case .failure(.refused(let reason)) = await stranger.send(put) else {
            throw GaveUp("a wrong password was taken")
        }
        #expect(reason.contains("authentication failed"))
        options.password = "secret"
        let client = try Connection(options)
        #expect(try executed(await client.send(put)).0)
        // Every change of a user outdates the tokens.
        let isAdded = try server.control("--user", "root:secret", "user", "add", "another:x")
        try #require(isAdded)
        #expect(try executed(await client.send(put)).0)
        guard case .failure(.refused) = try await Connection(server).send(put) else {
            throw GaveUp("a client without a name was let in")
        }
    }

    @Test func aRequestThatIsTooLargeIsRefused() async throws {
        let server = try await EtcdServer()
        let client = try Connection(server)
        let put = StoreTransaction(
            changes: [.put("/x", [UInt8](repeating: 1, count: 1_600 << 10))])
        guard case .failure(.refused(let reason)) = await client.send(.transaction(put)) else {
            throw GaveUp("more than a request may have was taken")
        }
        #expect(reason.contains("too large"))
        let whole = StoreTransaction(
            changes: [.put("/x", [UInt8](repeating: 1, count: SharedLogLimits.batchBytesMax))])
        #expect(try executed(await client.send(.transaction(whole))).0)
    }

    @Test(arguments: ["127.0.0.1:2379", "http://127.0.0.1", "http://h:99999", "ftp://h:1", ""])
    func anEndpointThatIsNoneIsRefused(text: String) {
        #expect(throws: EtcdError.notAnEndpoint(text)) {
            try EtcdClient(EtcdOptions(endpoints: [text]))
        }
    }
}

/// A client that a test awaits.
final class Connection {
    private let client: EtcdClient

    init(_ options: EtcdOptions) throws { client = try EtcdClient(options) }

    convenience init(_ endpoints: [String]) throws {
        try self.init(EtcdOptions(endpoints: endpoints))
    }

    /// - Parameter requestTime: longer than a busy machine lets etcd wait.
    convenience init(_ server: EtcdServer, requestTime: Duration = .seconds(20)) throws {
        var options = EtcdOptions(endpoints: [server.endpoint])
        options.requestTime = requestTime
        try self.init(options)
    }

    deinit { client.stop() }

    func send(_ request: StoreRequest) async -> StoreOutcome {
        await withCheckedContinuation { continuation in
            client.send(request) { continuation.resume(returning: $0) }
        }
    }
}
