package import ByteCoding

/// An address that others connect to: `tcp://HOST:PORT` or `ipc://PATH`, and behind it, perhaps,
/// `?key=` and the public key of its listener.
///
/// HOST is an IPv4 address, a name, or an IPv6 address in brackets. Wildcards are refused: this is
/// what clients are told, and no client can connect to "every address". `localhost` is written
/// `127.0.0.1`, because a socket is bound to a number or an interface, not to a name.
package struct EndpointText: Hashable, Sendable, CustomStringConvertible {
    package enum Place: Hashable, Sendable {
        case tcp(host: String, port: UInt16)
        case ipc(path: String)
    }

    package let place: Place
    /// The listener's; `nil`: it asks no client for a key.
    package let serverKey: PublicKey?

    package init(_ place: Place, serverKey: PublicKey? = nil) {
        self.place = place
        self.serverKey = serverKey
    }

    package var text: String {
        serverKey.map { "\(placeText)\(Self.keyMark)\($0)" } ?? placeText
    }

    static let keyMark = "?key="

    private var placeText: String {
        switch place {
        case .tcp(let host, let port): "tcp://\(host):\(port)"
        case .ipc(let path): "ipc://\(path)"
        }
    }

    package var description: String { text }

    /// Whether it can be reached from this machine alone.
    package var isLoopback: Bool {
        switch place {
        case .tcp(let host, _): host == "[::1]" || Self.octets(host)?.first == 127
        case .ipc: true
        }
    }

    /// The endpoint `count` places on: a later port, or the path with a number.
    ///
    /// - Returns: `nil` if there is no such port.
    package func following(_ count: Int) -> EndpointText? {
        switch place {
        case .tcp(let host, let port):
            guard let later = UInt16(exactly: Int(port) + count) else { return nil }
            return EndpointText(.tcp(host: host, port: later), serverKey: serverKey)
        case .ipc(let path):
            return EndpointText(.ipc(path: "\(path).\(count)"), serverKey: serverKey)
        }
    }

    /// The endpoint of a live channel where none is given: the one after that for everything else.
    ///
    /// - Returns: `nil` if `text` is no endpoint or has the last port.
    static func live(after text: String) -> String? {
        do throws(TextProblem) {
            return try parse(text).following(1)?.text
        } catch {
            return nil
        }
    }

    /// The four numbers of an IPv4 address; `nil` if `host` is none.
    static func octets(_ host: String) -> [UInt8]? {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        let octets = parts.compactMap { UInt8($0) }
        return parts.count == 4 && octets.count == 4 ? octets : nil
    }
}
