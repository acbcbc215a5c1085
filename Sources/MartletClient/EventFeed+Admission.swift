import CacheWire
import Threading
import ZeroMQ

/// Nobody answers on the live channel, so that whoever may not listen hears silence, which is also
/// what a publisher that is down sounds like. It is asked for once, before.
extension EventFeed {
    private static let patience: Duration = .seconds(1)

    /// - Throws: ``CacheError/Code/unauthorised`` if this client's key is turned away.
    static func checkAdmission(
        _ loop: ClientLoop, _ topology: Topology
    ) async throws(CacheError) {
        guard let keys = loop.configuration.keys?.pair else { return }
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
        guard outcome == .refused else { return }
        throw CacheError(
            .unauthorised,
            "your key may not follow the invalidations, which name what changed: it takes the role "
                + "node or relay, or read for everything")
    }

    private static func knock(
        at live: String, _ keys: CurveKeyPair, _ context: Context
    ) -> HandshakeOutcome {
        do {
            return try HandshakeProbe.knock(
                at: Endpoint(live, for: .connecting), .sub, as: .holder(keys),
                patience: patience, in: context)
        } catch {
            // Whoever follows finds out what is wrong.
            return .unanswered
        }
    }
}
