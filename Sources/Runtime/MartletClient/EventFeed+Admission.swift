import CacheWire
import Threading
import ZeroMQ

/// Tests whether the live channel admits the client before the client follows it. The live channel
/// sends no refusals: a client without permission hears silence, as with a publisher that is down.
/// So the client tries a handshake first.
extension EventFeed {
    /// An answer takes a moment; only a publisher that is down takes longer.
    private static let patience: Duration = .seconds(5)

    /// Whether the live channel refuses this client's key.
    static func isTurnedAway(_ loop: ClientLoop, _ topology: Topology) async -> Bool {
        guard let keys = loop.configuration.keys?.pair else { return false }
        let outcome = await withCheckedContinuation { continuation in
            do {
                // The handshake blocks, so it has a thread of its own.
                _ = try OwnedThread(name: "client-knock") { [context = loop.context] in
                    continuation.resume(
                        returning: knock(at: topology.liveEndpoint, keys, context))
                }
            } catch {
                continuation.resume(returning: .unanswered)
            }
        }
        return outcome == .refused
    }

    private static func knock(
        at live: String, _ keys: CurveKeyPair, _ context: Context
    ) -> HandshakeOutcome {
        do {
            return try knock(at: Endpoint(live, for: .connecting), .sub, keys, context)
        } catch {
            // The feed that follows reports this error.
            return .unanswered
        }
    }

    /// Tests whether an endpoint admits a key. Waits for at most five seconds.
    static func knock(
        at endpoint: Endpoint, _ kind: Socket.Kind, _ keys: CurveKeyPair, _ context: Context
    ) throws(ZeroMQError) -> HandshakeOutcome {
        try HandshakeProbe.knock(
            at: endpoint, kind, as: .holder(keys), patience: patience, in: context)
    }
}
