import AccessControl
import CacheModel
import CacheWire
import Foundation
import Logging
import PublisherCore
import PublisherServer
import Testing
import ZeroMQ

/// A publisher that asks who connects.
@Suite(.serialized, .timeLimit(.minutes(2))) struct PublisherServiceAccessTests {
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("guarded-\(UUID().uuidString.prefix(8))")
    private let ops: CurveKeyPair
    private let relay: CurveKeyPair

    init() throws {
        ops = try CurveKeyPair.generate()
        relay = try CurveKeyPair.generate()
    }

    private func write(_ list: String) throws {
        try Data(list.utf8).write(to: folder.appendingPathComponent("list"), options: .atomic)
    }

    private var opsLine: String { "ops \(ops.publicKey) admin\n" }
    private var relayLine: String { "relay \(relay.publicKey) relay\n" }

    /// Serves with its live channel at a path in a folder of its own.
    private func serve(
        _ body: (PublisherService, PublisherEndpoints, URL) throws -> Void
    ) throws {
        let place = folder.appendingPathComponent("live")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try write(opsLine + relayLine)
        let node = PublisherPlan.Node(id: try #require(NodeID("n1")), shards: 1)
        var options = PublisherOptions(
            control: try Endpoint("tcp://127.0.0.1:0"), plan: PublisherPlan(nodes: [node]))
        options.live = try Endpoint("ipc://\(place.path)/socket")
        options.access = AccessSettings(
            keys: try CurveKeyPair.generate(), listFile: folder.appendingPathComponent("list").path)
        let service = PublisherService(
            options: options, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let endpoints = try service.start()
        defer { service.stop() }
        try body(service, endpoints, place)
    }

    private func knock(_ endpoints: PublisherEndpoints, _ keys: CurveKeyPair) throws
        -> HandshakeOutcome
    {
        try HandshakeProbe.knock(
            at: endpoints.live, .sub, as: .holder(keys), patience: .seconds(1), in: Context())
    }

    private func expectAnAnswer(_ endpoints: PublisherEndpoints) throws {
        let asker = try Asker(Context(keys: ops), endpoints)
        try asker.ask(.topology)
        let reply = try #require(try asker.awaitReplies().first)
        let type = try reply.withUnsafeBytes { try MessageView(decoding: $0).type }
        #expect(type == .topologyReport)
    }

    @Test func aRevokedSubscriberIsDisconnectedAndOthersReconnect() throws {
        try serve { _, endpoints, _ in
            let lost = try Socket(Context(keys: relay), .sub)
            let kept = try Socket(Context(keys: ops), .sub)
            for socket in [0, 1] {
                try socket == 0 ? lost.subscribe(prefix: []) : kept.subscribe(prefix: [])
                try socket == 0 ? lost.connect(endpoints.live) : kept.connect(endpoints.live)
            }
            try drive("both hear", until: { try lost.isReadable && kept.isReadable }, {})
            try write(opsLine)
            try drive("it is turned away", until: { try knock(endpoints, relay) == .refused }, {})
            var frame = Frame()
            while try lost.receive(into: &frame) {}
            while try kept.receive(into: &frame) {}
            // What the one hears, the other would have heard.
            try drive("the other hears again", until: { try kept.isReadable }, {})
            let isHeard = try lost.receive(into: &frame)
            #expect(!isHeard)
            try expectAnAnswer(endpoints)
        }
    }

    @Test func anEndpointThatCannotBeReboundIsRetried() throws {
        try serve { service, endpoints, place in
            #expect(try knock(endpoints, relay) == .admitted)
            try FileManager.default.removeItem(at: place)
            try write(opsLine)
            try drive("it is given up", until: { try knock(endpoints, ops) == .unanswered }, {})
            try expectAnAnswer(endpoints)
            try FileManager.default.createDirectory(
                at: place, withIntermediateDirectories: true)
            try drive("it is back", until: { try knock(endpoints, ops) == .admitted }, {})
            #expect(try knock(endpoints, relay) == .refused)
            try expectAnAnswer(endpoints)
            service.stop()
            #expect(service.waitUntilStopped() == nil)
        }
    }
}
