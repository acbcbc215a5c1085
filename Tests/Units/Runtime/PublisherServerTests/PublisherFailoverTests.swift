import CacheModel
import CacheWire
import EtcdStorage
import Foundation
import Logging
import PublisherCore
import PublisherServer
import TestSupport
import Testing
import ZeroMQ

/// Publishers that lead one log in turn, on a real etcd.
@Suite(.serialized, .enabled(if: EtcdServer.isInstalled, "apt install etcd-server etcd-client"))
struct PublisherFailoverTests {
    private let context: Context

    init() throws { context = try Context() }

    /// Publishers of one cluster, each of which may be started and stopped.
    private final class Publishers {
        let server: EtcdServer
        let directory: TemporaryDirectory
        let context: Context
        private(set) var services: [String: PublisherService] = [:]
        private(set) var places: [String: PublisherEndpoints] = [:]
        let names: [String]

        init(_ count: Int, _ server: EtcdServer, _ context: Context) throws {
            self.server = server
            self.context = context
            directory = try TemporaryDirectory("terms")
            names = (1...count).map { "p\($0)" }
            for name in names { try start(name) }
        }

        deinit { for service in services.values { service.stop() } }

        func start(_ name: String) throws {
            let service = PublisherService(options: try options(name), logger: Self.silent)
            places[name] = try service.start()
            services[name] = service
        }

        func options(
            _ name: String, members: [String]? = nil
        ) throws -> PublisherOptions {
            var plan = PublisherPlan(
                nodes: try ["n1", "n2"].map { .init(id: try #require(NodeID($0)), shards: 1) })
            // Without records about the members, which a leader without nodes repeats.
            plan.kind = .replicated
            plan.lease = .milliseconds(1_500)
            var options = PublisherOptions(
                control: try Endpoint("tcp://127.0.0.1:0"), plan: plan)
            options.etcd = EtcdPublisherOptions(
                name: name,
                among: (members ?? names).map { NamedPublisher($0, at: "tcp://\($0):7400") },
                client: EtcdOptions(endpoints: [server.endpoint]), prefix: "/martlet/test/",
                stateDirectory: directory.path + "/" + name)
            return options
        }

        func stop(_ name: String) {
            services.removeValue(forKey: name)?.stop()
            places[name] = nil
        }

        static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

        /// Asks every publisher for its role until one leads and the others name it.
        func leader() async throws -> String {
            var found: String?
            try await eventually("one publisher leads") {
                found = try self.places.first { _, place in try self.leads(place) }?.key
                return found != nil
            }
            return try #require(found)
        }

        private func leads(_ place: PublisherEndpoints) throws -> Bool {
            try status(place).figure("leading") == 1
        }

        func status(_ name: String) throws -> StatusReport {
            try status(try #require(places[name]))
        }

        private func status(_ place: PublisherEndpoints) throws -> StatusReport {
            let asker = try Asker(context, place)
            try asker.ask(.status)
            let frame = try #require(try asker.awaitReplies().first)
            return try frame.withUnsafeBytes {
                try StatusReport(decoding: MessageView(decoding: $0))
            }
        }

        /// Repeats an invalidation at every publisher until one has done it.
        func invalidate(
            _ number: UInt64, _ wait: WaitMode = .none, _ step: () throws -> Void = {}
        ) throws -> Receipt {
            let request = InvalidateRequest(
                scopes: [Scope(.everything)], wait: wait, timeoutMilliseconds: 5_000,
                operation: OperationID(high: 77, low: number))
            let deadline = ContinuousClock.now + patience
            while ContinuousClock.now < deadline {
                for place in places.values {
                    let asker = try Asker(context, place)
                    try asker.send { request.encode(requestID: 1, into: &$0) }
                    let frame = try #require(try asker.awaitReplies(1, step).first)
                    guard frame[3] == MessageType.receipt.rawValue else { continue }
                    return try frame.withUnsafeBytes {
                        try Receipt(decoding: MessageView(decoding: $0))
                    }
                }
            }
            throw GaveUp("no publisher invalidates")
        }
    }

    private func notLeader(_ asker: Asker) throws -> NotLeader {
        try asker.invalidate(.none)
        let frame = try #require(try asker.awaitReplies().first)
        return try frame.withUnsafeBytes {
            let message = try MessageView(decoding: $0)
            guard message.type == .notLeader else { throw GaveUp("\(message.type)") }
            return try NotLeader(decoding: message.body)
        }
    }

    @Test func aPublisherThatDoesNotLeadNamesTheLeader() async throws {
        let publishers = try Publishers(2, try await EtcdServer(), context)
        let leader = try await publishers.leader()
        let other = try #require(publishers.names.first { $0 != leader })
        let place = try #require(publishers.places[other])
        try await eventually("it knows the leader") {
            let answer = try notLeader(try Asker(context, place))
            return answer.name == leader
                && answer.controlEndpoint == publishers.places[leader]?.control.description
        }
    }

    @Test func theLogGoesOnAtTheNextLeaderAndKnowsWhatWasDone() async throws {
        let publishers = try Publishers(3, try await EtcdServer(), context)
        let first = try await publishers.leader()
        let position = try publishers.invalidate(1).position
        publishers.stop(first)
        let again = try publishers.invalidate(1)
        #expect(again.position == position, "the operation was done by its predecessor")
        let next = try publishers.invalidate(2)
        #expect(next.position == position.next)
        #expect(try await publishers.leader() != first)
    }

    @Test func aNodeKeepsItsLogAndItsRunAtTheNextLeader() async throws {
        let publishers = try Publishers(2, try await EtcdServer(), context)
        let first = try await publishers.leader()
        let before = try FakeNode(
            context, try #require(publishers.places[first]), id: "n1", incarnation: 11)
        try join(before)
        _ = try publishers.invalidate(1) { try before.turn() }
        try drive("it follows", until: { before.records.count == 1 }) { try before.turn() }
        publishers.stop(first)
        let second = try await publishers.leader()
        let after = try FakeNode(
            context, try #require(publishers.places[second]), id: "n1", incarnation: 12)
        try join(after)
        #expect(after.log == before.log)
        #expect(after.previousRun == Incarnation(11), "the earlier run had a lease elsewhere")
        #expect(after.applied.position.epoch == before.applied.position.epoch)
    }

    private func join(_ node: FakeNode) throws {
        var looks = 0
        try drive("it is leased", until: { node.isLeased }) {
            try node.turn()
            if looks % 50 == 0 { node.welcomes == 0 ? try node.hello() : try node.ping() }
            looks += 1
        }
    }

    @Test func aLeaderStepsDownWhenItIsToldTo() async throws {
        let publishers = try Publishers(2, try await EtcdServer(), context)
        let first = try await publishers.leader()
        let position = try publishers.invalidate(1).position
        let asker = try Asker(context, try #require(publishers.places[first]))
        try asker.send { StepDown().encode(requestID: 4, into: &$0) }
        let frame = try #require(try asker.awaitReplies().first)
        #expect(frame[3] == MessageType.done.rawValue)
        try await eventually("another one leads") {
            try await publishers.leader() != first
        }
        #expect(try publishers.invalidate(2).position == position.next)
    }

    @Test func everyPublisherTellsWhichOneLeadsAndHowEtcdIs() async throws {
        let publishers = try Publishers(2, try await EtcdServer(), context)
        let first = try await publishers.leader()
        let term = try await expectRoles(publishers, leader: first)
        let asker = try Asker(context, try #require(publishers.places[first]))
        try asker.send { StepDown().encode(requestID: 4, into: &$0) }
        _ = try asker.awaitReplies()
        let second = try #require(publishers.names.first { $0 != first })
        try await eventually("the other one leads") { try await publishers.leader() == second }
        let next = try await expectRoles(publishers, leader: second)
        #expect(term != next)
    }

    /// Waits until leader and standby tell the same of each other and of etcd.
    ///
    /// - Returns: the term.
    private func expectRoles(_ publishers: Publishers, leader: String) async throws -> UInt64 {
        let member = publishers.server.endpoint
        func tells(_ report: StatusReport, leading: Bool) -> Bool {
            let isLeaderNamed = publishers.names.allSatisfy { name in
                let value: UInt64 = name == leader ? 1 : 0
                return report.figures.contains(.init("publisher:\(name)@tcp://\(name):7400", value))
            }
            return isLeaderNamed && report.figure("leading") == (leading ? 1 : 0)
                && report.figures.contains(.init("etcd_member_condition:\(member)", 0))
                && report.figures.contains(.init("etcd_member_leads:\(member)", 1))
                && report.figure("etcd_member_bytes:\(member)") > 0
                && report.figures.contains(.init("etcd_refusing", 0))
                && report.figures.contains { $0.name == "term_ms" }
        }
        var terms: Set<UInt64> = []
        try await eventually("all tell the same") {
            let reports = try publishers.names.map { ($0, try publishers.status($0)) }
            terms = Set(reports.map { $0.1.figure("term") })
            return terms.count == 1 && reports.allSatisfy { tells($0.1, leading: $0.0 == leader) }
        }
        return try #require(terms.first)
    }

    @Test func aStandbyWithoutEtcdSaysSoAndAnswers() async throws {
        let server = try await EtcdServer()
        let publishers = try Publishers(2, server, context)
        let leader = try await publishers.leader()
        let standby = try #require(publishers.names.first { $0 != leader })
        server.pause()
        defer { server.resume() }
        try await eventually("it says that etcd does not answer") {
            let report = try publishers.status(standby)
            return report.figure("etcd_refusing") == 1
                && report.figures.contains(.init("etcd_member_condition:\(server.endpoint)", 1))
        }
    }

    @Test func nothingIsLostWhileEtcdDoesNotAnswer() async throws {
        let server = try await EtcdServer()
        let publishers = try Publishers(2, server, context)
        _ = try await publishers.leader()
        let position = try publishers.invalidate(1).position
        let leader = try #require(
            try publishers.places.first { try Self.leads($0.value, context) }?.value)
        server.pause()
        let asker = try Asker(context, leader)
        let request = InvalidateRequest(
            scopes: [Scope(.everything)], wait: .none, timeoutMilliseconds: 700,
            operation: OperationID(high: 77, low: 2))
        try asker.send { request.encode(requestID: 1, into: &$0) }
        let frame = try #require(try asker.awaitReplies().first)
        try frame.withUnsafeBytes {
            let error = try ErrorReply(decoding: MessageView(decoding: $0))
            #expect(error.knownCode == .unavailable)
            #expect(error.message.contains("may have been invalidated"))
        }
        server.resume()
        let again = try publishers.invalidate(2).position
        #expect(again == position.next, "the repetition is the same invalidation")
        #expect(try publishers.invalidate(3).position == again.next)
    }

    @Test func aLeaderWithoutEtcdSaysThatItMayNotLeadAnyMore() async throws {
        let server = try await EtcdServer()
        let publishers = try Publishers(1, server, context)
        let leader = try #require(publishers.places[try await publishers.leader()])
        server.pause()
        defer { server.resume() }
        try await eventually("its lease may be over") { try !Self.leads(leader, context) }
    }

    private static func leads(_ place: PublisherEndpoints, _ context: Context) throws -> Bool {
        let asker = try Asker(context, place)
        try asker.ask(.status)
        let frame = try #require(try asker.awaitReplies().first)
        return try frame.withUnsafeBytes {
            try StatusReport(decoding: MessageView(decoding: $0)).figure("leading") == 1
        }
    }

    @Test func publishersOfAnotherClusterDoNotUseThePrefix() async throws {
        let publishers = try Publishers(1, try await EtcdServer(), context)
        _ = try await publishers.leader()
        var options = try publishers.options("x1", members: ["x1", "x2"])
        options.etcd?.stateDirectory += "-other"
        let service = PublisherService(options: options, logger: Publishers.silent)
        _ = try service.start()
        let failure = service.waitUntilStopped()
        service.stop()
        guard case .prefix(let sentence)? = failure else {
            Issue.record("it runs on: \(String(describing: failure))")
            return
        }
        #expect(sentence.contains("p1@tcp://p1:7400"))
    }

    @Test func aStateDirectoryIsOfOnePublisher() async throws {
        let publishers = try Publishers(1, try await EtcdServer(), context)
        let service = PublisherService(
            options: try publishers.options("p1"), logger: Publishers.silent)
        #expect(throws: PublisherStartError.self) { try service.start() }
    }
}
