package import ZeroMQ

/// A process tries its own doors at its start: a stranger's key and a client without any must be
/// turned away, or nobody knows what the list is good for.
package enum AdmissionTest {
    /// What listens: an endpoint with its key, and what it is for.
    package typealias Door = (endpoint: Endpoint, domain: AccessDomain)

    /// - Parameter stranger: a key that nobody has listed; `nil`: any.
    package static func pass(
        _ doors: [Door], as stranger: CurveKeyPair? = nil, in context: Context
    ) throws(AccessControlError) {
        for door in doors {
            // A stranger has to be refused for who it is. One without a key has not come so far.
            switch try knock(at: door, as: stranger.map { .holder($0) } ?? .stranger, in: context) {
            case .refused: break
            case .admitted: throw .unguarded(door.endpoint, isPlain: false)
            case .brokenOff, .unanswered: throw .untested(door.endpoint)
            }
            switch try knock(at: door, as: .plain, in: context) {
            case .refused, .brokenOff: break
            case .admitted: throw .unguarded(door.endpoint, isPlain: true)
            case .unanswered: throw .untested(door.endpoint)
            }
        }
    }

    private static func knock(
        at door: Door, as guise: HandshakeProbe.Guise, in context: Context
    ) throws(AccessControlError) -> HandshakeOutcome {
        do throws(ZeroMQError) {
            return try HandshakeProbe.knock(
                at: door.endpoint, door.domain.askerKind, as: guise,
                patience: AccessLimits.testPatience, in: context)
        } catch {
            throw .other(error)
        }
    }
}
