import Foundation
import TestSupport

/// A connection to a port on 127.0.0.1, by which a test says what it likes. Calls block, for at
/// most 30 s.
final class HTTPConversation {
    private let socket: TCPSocket

    struct Answer {
        var status: Int
        /// In lower case.
        var head: String
        var body: String
    }

    init(_ port: Int) throws {
        socket = try TCPSocket.connected(
            to: UInt16(port), sending: .seconds(30), receiving: .seconds(30))
    }

    deinit { socket.close() }

    func say(_ text: String) { socket.say(Array(text.utf8)) }

    /// Everything until the other side closes.
    func untilClosed() -> String {
        var all: [UInt8] = []
        while true {
            let bytes = socket.received()
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
            let bytes = socket.received()
            guard !bytes.isEmpty else { throw GaveUp("no whole answer: \(text)") }
            all += bytes
        }
    }
}

extension String {
    /// What stands behind `mark`, until the line's end.
    fileprivate func components(of mark: String) -> Substring? {
        range(of: mark).map { self[$0.upperBound...].prefix { $0.isNumber } }
    }
}
