import Foundation
import TestSupport

/// A plain tcp connection to a port of this machine, for saying what no libzmq would say.
final class RawPeer {
    private let connection: TCPSocket

    /// Whether a socket can be bound to `::1` here.
    static let machineHasIPv6: Bool = {
        let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_addr = in6addr_loopback
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
            }
        }
    }()

    init(port: UInt16) throws {
        connection = try TCPSocket.connected(to: port, sending: patience, receiving: patience)
    }

    deinit { connection.close() }

    /// Says what it can; the other side may hang up meanwhile.
    func say(_ bytes: [UInt8]) { connection.say(bytes) }

    /// Greets as a socket of that kind and reads the answer, as one must before saying more.
    ///
    /// - Parameter claims: what it says of itself besides.
    func shakesHands(as kind: String, claims: [(name: String, value: String)] = []) -> Bool {
        say(Zmtp.greeting + Zmtp.ready(as: kind, claims))
        // Their greeting, then the flags and length of their own READY, then its body.
        guard let answer = hear(Zmtp.greeting.count + 2), let length = answer.last else {
            return false
        }
        return hear(Int(length)) != nil
    }

    private func hear(_ count: Int) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: count)
        let heard = recv(connection.descriptor, &buffer, count, Int32(MSG_WAITALL))
        return heard == count ? buffer : nil
    }

    func sayNoMore() { shutdown(connection.descriptor, Int32(SHUT_WR)) }

    /// Reads until the other side hangs up; `false` if it does not do so in good time.
    func isHungUpOn() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(connection.descriptor, &buffer, buffer.count, 0)
            if count == 0 { return true }
            if count < 0 { return errno == ECONNRESET }
        }
    }
}

/// Bytes of ZMTP 3.0 [1], written by hand.
///
/// [1] rfc.zeromq.org/spec/23
enum Zmtp {
    /// Version 3.0, mechanism NULL, not a server.
    static let greeting: [UInt8] =
        [0xFF] + [UInt8](repeating: 0, count: 8) + [0x7F, 3, 0] + Array("NULL".utf8)
        + [UInt8](repeating: 0, count: 16 + 1 + 31)

    static func ready(
        as kind: String, _ claims: [(name: String, value: String)] = []
    ) -> [UInt8] {
        var body: [UInt8] = [5] + Array("READY".utf8)
        for (name, value) in [(name: "Socket-Type", value: kind)] + claims {
            body += [UInt8(name.utf8.count)] + Array(name.utf8)
            body += [0, 0, 0, UInt8(value.utf8.count)] + Array(value.utf8)
        }
        return [0x04, UInt8(body.count)] + body
    }

    static func frame(_ body: [UInt8], flags: UInt8 = 0) -> [UInt8] {
        guard body.count > 255 else { return [flags, UInt8(body.count)] + body }
        let length = (0..<8).reversed().map { UInt8(truncatingIfNeeded: body.count >> ($0 * 8)) }
        return [flags | 2] + length + body
    }
}
