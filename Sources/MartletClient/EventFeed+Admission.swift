import CacheWire
import Threading
import ZeroMQ

/// Nobody answers on the live channel, so that whoever may not listen hears silence, which is also
/// what a publisher that is down sounds like. So it is knocked at once, before.
extension EventFeed {
    /// An answer takes a moment; only a publisher that is not there takes longer.
    private static let patience: Duration = .seconds(5)

    /// Whether the live channel turns this client's key away.
    static func isTurnedAway(_ loop: ClientLoop, _ topology: Topology) async -> Bool {
        guard let keys = loop.configuration.keys?.pair else { return false }
        let outcome = await withCheckedContinuation { continuation in
            do {
                // It waits, and so has a thread of its own.
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
            // Whoever follows finds out what is wrong.
            return .unanswered
        }
    }

    /// Whether a key is let in there. Waits for at most five seconds.
    static func knock(
        at endpoint: Endpoint, _ kind: Socket.Kind, _ keys: CurveKeyPair, _ context: Context
    ) throws(ZeroMQError) -> HandshakeOutcome {
        try HandshakeProbe.knock(
            at: endpoint, kind, as: .holder(keys), patience: patience, in: context)
    }
}
