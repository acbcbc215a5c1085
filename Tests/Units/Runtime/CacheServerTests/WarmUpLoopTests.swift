import CacheLoading
import CacheModel
import CacheNodeCore
import Testing
import TestSupport
import Threading
import ZeroMQ

@testable import CacheServer

/// The thread that has a node filled, among peers in the test's hands.
@Suite(.timeLimit(.minutes(2))) struct WarmUpLoopTests {
    /// Who refuses is left, and the next is asked: of a cluster far larger than a poller watches.
    @Test func aNodeAsksMorePeersThanAPollerWatches() throws {
        let context = try Context()
        let router = try Socket(context, .router)
        let bound = try router.bind(Endpoint("tcp://0.0.0.0:*")).description
        let port = try #require(bound.split(separator: ":").last)
        let lines = LinesLogged()
        let thread = try WarmUpThread(Self.setup(context, lines))
        let peers = try (0..<(ZeroMQLimits.pollItemCountMax + 10)).map { number in
            WarmUpPeer(
                node: try #require(NodeID("p\(number)")),
                endpoints: ["tcp://127.0.\(1 + number / 200).\(1 + number % 200):\(port)"])
        }
        thread.mailbox.post(.live)
        thread.mailbox.post(.begin(peers))
        try Self.refuse(router, WarmUpLimits.triesPerPeerMax * peers.count)
        try lines.wait(for: "info warm-up: done copied=0 bytes=0 not_copied=0")
        thread.stop()
    }

    /// What a peer says of itself must not end the thread that asks it.
    @Test func warmUpSkipsAPeerWithAnInvalidEndpoint() throws {
        let context = try Context()
        let router = try Socket(context, .router)
        let right = try router.bind(Endpoint("tcp://127.0.0.1:*")).description
        let lines = LinesLogged()
        let thread = try WarmUpThread(Self.setup(context, lines))
        let key = try CurveKeyPair.generate().publicKey
        let places = ["tcp://127.0.0.1:1?key=\(key)", "no endpoint", right]
        let peers = try places.enumerated().map { number, place in
            WarmUpPeer(node: try #require(NodeID("p\(number)")), endpoints: [place])
        }
        thread.mailbox.post(.live)
        thread.mailbox.post(.begin(peers))
        try Self.refuse(router, WarmUpLimits.triesPerPeerMax)
        try lines.wait(for: "info warm-up: done copied=0 bytes=0 not_copied=0")
        thread.stop()
    }

    /// It has what it owns: status need not wait until it is filled.
    @Test func aNodeWithoutReplicasSaysSoThoughItHasJustSaidThatItWaitsForOne() throws {
        let setup = try Self.setup(Context(), LinesLogged())
        let thread = try WarmUpThread(setup)
        setup.mailbox.post(.sharing([]))
        var phases: [WarmUp.Progress.Phase] = []
        try waitUntil("it waits for none") {
            for case .warmUp(let progress) in setup.shards[0].takeAll(isHeard: false) {
                phases.append(progress.phase)
            }
            return phases.last == .idle
        }
        thread.stop()
    }

    /// Where slots move, the thread lasts as long as its node.
    @Test(arguments: [false, true]) func aThreadThatMayCopyAgainEndsWhenItIsStopped(
        isCopying: Bool
    ) throws {
        let context = try Context()
        let router = try Socket(context, .router)
        let endpoint = try router.bind(Endpoint("tcp://127.0.0.1:*")).description
        let thread = try WarmUpThread(Self.setup(context, LinesLogged()))
        let node = try #require(NodeID("n2"))
        thread.mailbox.post(.sharing([WarmUpPeer(node: node, endpoints: [endpoint])]))
        let move = SlotMove(
            change: LogPosition(epoch: Epoch(1), sequence: SequenceNumber(5)), node: node,
            shard: 0, slots: SlotSet())
        if isCopying {
            thread.mailbox.post(.arriving([WarmUp.Arrival(move, at: 0)]))
            try Self.refuse(router, 1)
        }
        thread.stop()
    }

    /// Sends back what comes, until so many have asked. A question is no answer to itself: that is
    /// a refusal.
    private static func refuse(_ router: borrowing Socket, _ count: Int) throws {
        var asked = 0
        var frame = Frame()
        var body = Frame()
        try waitUntil("the last peer was asked") {
            while try router.receive(into: &frame) {
                guard frame.hasMore, try router.receive(into: &body) else { continue }
                asked += 1
                _ = try router.send(&frame, more: true)
                _ = try router.send(&body, more: false)
            }
            return asked >= count
        }
        #expect(asked == count)
    }

    private static func setup(
        _ context: Context, _ lines: LinesLogged
    ) throws -> WarmUpThread.Setup {
        var settings = WarmUpSettings()
        settings.source = .peers
        return WarmUpThread.Setup(
            node: try #require(NodeID("n1")), settings: settings, context: context,
            mailbox: try Mailbox(), shards: [try Mailbox()], logger: lines.logger)
    }
}
