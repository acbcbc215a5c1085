import ByteCoding
import Logging
import Testing
import ZeroMQ

@testable import CacheServer

/// A node's connection to a shard of a peer.
@Suite(.timeLimit(.minutes(2))) struct ShardLinkTests {
    /// The list of a peer may have a new node's line later than the node begins.
    @Test func aPeerLinkReconnectsOnceThePeerAdmitsTheNode() throws {
        let node = try CurveKeyPair.generate()
        let peer = try Context(keys: CurveKeyPair.generate())
        var handler = try ZAPHandler(peer)
        let router = try Socket(peer, .router)
        let endpoint = try router.bind(Endpoint("tcp://127.0.0.1:*"))
        let link = try ShardLink(
            Context(keys: node), endpoint,
            knock: SecondKnock(at: endpoint, pause: .milliseconds(500)))
        var poller = Poller()
        _ = poller.add(handler.socket, for: .readable)
        _ = poller.add(router, for: .readable)
        var refusals = 0
        var frame = Frame()
        let end = ContinuousClock.now + .seconds(30)
        var isHeard = false
        while !isHeard, ContinuousClock.now < end {
            try link.send([1])
            _ = try poller.wait(timeout: .milliseconds(20))
            try handler.answerWaiting { request in
                guard request.key == node.publicKey, refusals > 0 else {
                    refusals += 1
                    return .refused
                }
                return .admitted(1)
            }
            isHeard = try router.receive(into: &frame)
        }
        #expect(isHeard && refusals == 1)
    }

    /// What a peer says of itself must not end the thread that asks it.
    @Test(arguments: ["tcp://127.0.0.1:1", "no endpoint", "tcp://127.0.0.1:1?key=00", ""])
    func anInvalidPeerEndpointIsSkippedWithoutFailing(place: String) throws {
        let context = try Context(keys: CurveKeyPair.generate())
        var links = PeerLinks(context, logger: Logger(label: "test"))
        let isAsked = try links.send([1], to: place)
        #expect(!isAsked)
        // Others are asked as ever.
        let other = try CurveKeyPair.generate().publicKey
        let isOtherAsked = try links.send([1], to: "tcp://127.0.0.1:1?key=\(other)")
        #expect(isOtherAsked)
    }
}
