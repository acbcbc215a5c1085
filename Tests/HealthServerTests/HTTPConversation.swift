import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A connection to a port on 127.0.0.1, by which a test says what it likes. Calls block, for at
/// most 30 s.
final class HTTPConversation {
    private let descriptor: CInt

    struct Answer {
        var status: Int
        /// In lower case.
        var head: String
        var body: String
    }

    init(_ port: Int) throws {
        #if canImport(Darwin)
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        #endif
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                connect(descriptor, $0.baseAddress, length)
            }
        }
        guard result == 0 else { throw GaveUp("cannot connect to \(port)") }
    }

    deinit { close(descriptor) }

    func say(_ text: String) {
        let bytes = Array(text.utf8)
        #if canImport(Darwin)
            let flags: CInt = 0
        #else
            let flags = CInt(MSG_NOSIGNAL)
        #endif
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(descriptor, $0.baseAddress.map { $0 + sent }, $0.count - sent, flags)
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Everything until the other side closes.
    func untilClosed() -> String {
        var all: [UInt8] = []
        while true {
            let bytes = received()
            if bytes.isEmpty { return String(decoding: all, as: UTF8.self) }
            all += bytes
        }
    }

    /// Asks, and reads one answer; the connection stays.
    func ask(
        _ path: String, _ method: String = "GET", _ fields: [String] = [],
        host: String = "localhost"
    ) throws -> Answer {
        let lines = (["Host: \(host)"] + fields).map { "\($0)\r\n" }
        say("\(method) \(path) HTTP/1.1\r\n\(lines.joined())\r\n")
        return try answer(hasBody: method != "HEAD")
    }

    func answer(hasBody: Bool = true) throws -> Answer {
        var all: [UInt8] = []
        while true {
            let text = String(decoding: all, as: UTF8.self)
            if let end = text.range(of: "\r\n\r\n") {
                let head = text[..<end.lowerBound].lowercased()
                let length = head.components(of: "content-length: ").flatMap { Int($0) } ?? 0
                let body = text[end.upperBound...]
                if !hasBody || body.utf8.count >= length {
                    return Answer(
                        status: Int(head.dropFirst(9).prefix(3)) ?? 0, head: head,
                        body: String(body))
                }
            }
            let bytes = received()
            guard !bytes.isEmpty else { throw GaveUp("no whole answer: \(text)") }
            all += bytes
        }
    }

    private func received() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        return count <= 0 ? [] : Array(bytes.prefix(count))
    }
}

extension String {
    /// What stands behind `mark`, until the line's end.
    fileprivate func components(of mark: String) -> Substring? {
        range(of: mark).map { self[$0.upperBound...].prefix { $0.isNumber } }
    }
}

/// Why a test cannot go on.
struct GaveUp: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
