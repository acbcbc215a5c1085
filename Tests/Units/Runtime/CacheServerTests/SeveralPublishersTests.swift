import CacheConfiguration
import CacheLoading
import CacheModel
import CacheServer
import CacheWire
import Testing
import TestSupport
import ZeroMQ

/// A node with real sockets, among publishers of one log of which one leads.
@Suite(.timeLimit(.minutes(3))) struct SeveralPublishersTests {
    /// Three publishers, of which the node is given `known`, and its node.
    private final class Cluster {
        let log = ScriptedLog()
        let lines = LinesLogged()
        let publishers: [ScriptedPublisher]
        private let context: Context
        private var node: NodeServer?

        init(known: Range<Int>, change: ([ScriptedPublisher]) -> Void) throws {
            let context = try Context()
            self.context = context
            publishers = try (0..<3).map { [log] _ in try ScriptedPublisher(context, log) }
            change(publishers)
            var options = NodeServerOptions(
                node: try #require(NodeID("n1")), endpoints: [try Endpoint("tcp://127.0.0.1:*")],
                publishers: publishers[known].map { PublisherPlace(control: $0.control) },
                memoryBytes: 16 << 20)
            options.memoryPressure = .ignore
            options.warmUp.source = .off
            node = try NodeServer.start(options, logger: lines.logger)
        }

        func stop() { node?.stop() }

        func wait(_ what: String, until holds: () -> Bool) throws {
            try waitUntil("\(what): \(lines.lines)") {
                for publisher in publishers { try publisher.turn() }
                return holds()
            }
        }

        func waitForLine(_ line: String, count: Int = 1) throws {
            try wait(line) { lines.count(line) >= count }
        }

        /// Waits until the node follows the leader: a record reaches it by the live channel or a
        /// replay, and is acknowledged.
        func waitForRecord(at leader: ScriptedPublisher) throws {
            try leader.append()
            let mark = log.head
            try wait("an acknowledgement of \(mark.position)") { leader.acknowledged == mark }
        }

        func leads(_ publisher: ScriptedPublisher) -> String {
            "info the publisher \(publisher.control) leads now"
        }

        /// Nothing was hidden but at the first contact, and the lease never ended.
        func expectNothingLost() {
            #expect(lines.count("warning everything filled before") == 1)
            #expect(lines.count("warning suspect") == 0)
            #expect(lines.count("warning the publisher's log") == 0)
        }
    }

    @Test func aNodeFollowsANameToALeaderThatItWasNotGiven() throws {
        let cluster = try Cluster(known: 0..<2) { all in
            all[0].role = .names("")
            all[1].role = .names(all[2].control.description)
            all[2].role = .leads
        }
        defer { cluster.stop() }
        try cluster.waitForLine(cluster.leads(cluster.publishers[2]))
        try cluster.waitForLine("info live: at the head, with a lease")
        try cluster.waitForRecord(at: cluster.publishers[2])
        for publisher in cluster.publishers[..<2] {
            let line = "info the publisher \(publisher.control) does not lead"
            #expect(cluster.lines.count(line) == 1)
        }
    }

    @Test func aHandOverLosesNothing() throws {
        let cluster = try Cluster(known: 0..<2) { $0[0].role = .leads }
        defer { cluster.stop() }
        let (old, new) = (cluster.publishers[0], cluster.publishers[1])
        try cluster.waitForLine("info live: at the head, with a lease")
        try cluster.waitForRecord(at: old)
        for (leaving, coming) in [(old, new), (new, old), (old, new)] {
            let count = cluster.lines.count(cluster.leads(coming))
            leaving.role = .names(coming.control.description)
            coming.role = .leads
            try leaving.sayFarewell()
            try cluster.waitForLine(cluster.leads(coming), count: count + 1)
            try cluster.waitForRecord(at: coming)
        }
        cluster.expectNothingLost()
    }

    @Test func aLeaderThatFallsSilentIsLeft() throws {
        let cluster = try Cluster(known: 0..<3) { $0[0].role = .leads }
        defer { cluster.stop() }
        let (old, new) = (cluster.publishers[0], cluster.publishers[2])
        try cluster.waitForLine("info live: at the head, with a lease")
        old.role = .silent
        cluster.publishers[1].role = .names(old.control.description)
        new.role = .leads
        try cluster.waitForLine(cluster.leads(new))
        try cluster.waitForRecord(at: new)
        #expect(cluster.lines.count("warning the publisher has been silent for") == 1)
        cluster.expectNothingLost()
    }

    @Test(arguments: ["nonsense", "tcp://*:0", "tcp://127.0.0.1:1?key="])
    func aNameThatIsNoEndpointIsReportedOnce(name: String) throws {
        let isKeyed = name.hasSuffix("=")
        let key = try CurveKeyPair.generate().publicKey
        let cluster = try Cluster(known: 0..<2) { all in
            all[0].role = .names(isKeyed ? name + "\(key)" : name)
        }
        defer { cluster.stop() }
        let place = isKeyed ? "tcp://127.0.0.1:1" : name
        let line = "warning the publisher \(place) cannot be connected to"
        try cluster.waitForLine(line)
        // It is asked again in turn, with the same name.
        try cluster.wait("more answers") {
            cluster.publishers[0].asked.count { $0 == .hello } >= 3
        }
        #expect(cluster.lines.count(line) == 1)
        cluster.publishers[1].role = .leads
        try cluster.waitForLine(cluster.leads(cluster.publishers[1]))
    }

    @Test func withoutAUsableLiveEndpointTheNodeFollowsByItsPings() throws {
        let cluster = try Cluster(known: 0..<2) { all in
            all[0].role = .leads
            all[0].namedLive = "nowhere"
        }
        defer { cluster.stop() }
        try cluster.waitForLine(
            "warning the live endpoint that the publisher names cannot be used")
        try cluster.waitForLine("info live: at the head, with a lease")
        try cluster.waitForRecord(at: cluster.publishers[0])
    }

    /// The configuration may name one publisher of several.
    @Test func oneKnownPublisherIsEnoughToFindTheLeader() throws {
        let cluster = try Cluster(known: 0..<1) { all in
            all[0].role = .names(all[1].control.description)
            all[1].role = .leads
        }
        defer { cluster.stop() }
        try cluster.waitForLine(cluster.leads(cluster.publishers[1]))
        try cluster.waitForRecord(at: cluster.publishers[1])
    }
}
