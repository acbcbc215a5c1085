package import CacheAccess
package import Threading
package import ZeroMQ

/// Why a process cannot check connecting clients; it binds no endpoint then.
package enum AccessControlError: Error, Equatable, CustomStringConvertible {
    case unreadableList(path: String, reason: String)
    case wrongList(path: String, AccessListProblem)
    case openList(path: String, mode: UInt32)
    case unguarded(Endpoint, isPlain: Bool)
    case untested(Endpoint)
    case noThread(ThreadStartError)
    case other(ZeroMQError)

    /// One sentence: what is wrong, and what to do.
    package var description: String {
        switch self {
        case .unreadableList(let path, let reason):
            "the list of keys \(path) cannot be read: \(reason)"
        case .wrongList(let path, let problem): "the list of keys \(path), \(problem)"
        case .openList(let path, let mode):
            "\(path) may be read by others (mode \(String(mode, radix: 8))), who could try out "
                + "what its hashes stand for: chmod 600 \(path)"
        case .unguarded(let endpoint, isPlain: false):
            "\(endpoint) lets in a key that nobody listed, and so would let in everybody: this "
                + "libzmq does not ask, use Debian's 4.3.4 or newer"
        case .unguarded(let endpoint, isPlain: true):
            "\(endpoint) lets in who shows no key, and so would let in everybody: this libzmq has "
                + "no CURVE, use Debian's 4.3.4 or newer"
        case .untested(let endpoint):
            "\(endpoint) neither let a stranger in nor turned it away within "
                + "\(AccessLimits.testPatience), so nobody knows what it does; start again, and if "
                + "it stays so see whether a packet filter or a proxy takes connections to it"
        case .noThread(let error): "who connects cannot be checked: \(error)"
        case .other(let error): "who connects cannot be checked: \(error)"
        }
    }
}
