package import ZeroMQ

/// A process tests its own endpoints at its start: a client with an unknown key and a client
/// without any key must be refused. Otherwise the list may protect nothing.
package enum AdmissionTest {
    /// A listening endpoint with its key, and its domain.
    package typealias Door = (endpoint: Endpoint, domain: AccessDomain)

    /// - Parameter stranger: a key that is not in the list; `nil`: any.
    package static func pass(
        _ doors: [Door], as stranger: CurveKeyPair? = nil, in context: Context
    ) throws(AccessControlError) {
        for door in doors {
            // An unknown key has to be refused by the list. A client without a key does not get so
            // far.
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
