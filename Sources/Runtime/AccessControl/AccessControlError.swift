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
            "\(path) may be read by others (mode \(String(mode, radix: 8))), so the secrets "
                + "behind its hashes can be guessed: chmod 600 \(path)"
        case .unguarded(let endpoint, isPlain: false):
            "\(endpoint) admits a key that is in no list, and so would admit every client: this "
                + "libzmq does not check keys; use Debian's 4.3.4 or newer"
        case .unguarded(let endpoint, isPlain: true):
            "\(endpoint) admits a client without a key, and so would admit every client: this "
                + "libzmq has no CURVE; use Debian's 4.3.4 or newer"
        case .untested(let endpoint):
            "\(endpoint) neither admitted nor refused an unknown key within "
                + "\(AccessLimits.testPatience), so it is unknown whether it checks keys; start "
                + "again, and if this repeats, check whether a packet filter or a proxy takes "
                + "connections to it"
        case .noThread(let error): "connections cannot be authenticated: \(error)"
        case .other(let error): "connections cannot be authenticated: \(error)"
        }
    }
}
