import Foundation
import TestSupport
import Threading

/// An origin in a test's hands: a small HTTP server on 127.0.0.1 that answers as it is told, and
/// counts.
final class OriginServer: Sendable {
    struct Request: Sendable {
        /// Without the leading slash.
        var path: String
        var validator: String?
        var method = "GET"
        var body: [UInt8] = []
        /// The value of `Idempotency-Key`, with its quotes.
        var name: String?
        /// Of `traceparent` and `tracestate`.
        var trace: String?
        var traceState: String?
        var authorization: String?
        /// Of what is put.
        var contentType: String?
        var contentEncoding: String?
        var acceptEncoding: String?
    }

    struct Answer: Sendable {
        var status = 200
        var fields: [String] = []
        var body: [UInt8] = []
        /// The connection is closed after so many bytes of the body; `nil`: it is sent whole.
        var cutAfter: Int?

        static func text(_ text: String, _ fields: String...) -> Answer {
            Answer(fields: fields, body: Array(text.utf8))
        }
    }

    private struct State {
        var requests: [Request] = []
        var peers: [TCPSocket] = []
        var isOpen = true
        /// Requests that have come and wait to be let through.
        var heldCount = 0
        var isHolding = false
    }

    private let listener: TCPSocket
    private let state = Guarded(State())
    private let mayPass = NSCondition()
    private let answer: @Sendable (Request) -> Answer

    /// - Parameter answer: called on a thread of its own for each connection.
    init(_ answer: @escaping @Sendable (Request) -> Answer) throws {
        self.answer = answer
        listener = try TCPSocket.listening()
        Thread.detachNewThread { [self] in accept() }
    }

    var url: String { "http://127.0.0.1:\(listener.port)/{key}" }
    var requests: [Request] { state.withLock { $0.requests } }
    var heldCount: Int { state.withLock { $0.heldCount } }

    func requestCount(of path: String) -> Int {
        requests.count { $0.path == path }
    }

    /// From now on requests are counted, and answered when ``release()`` is called.
    func hold() { state.withLock { $0.isHolding = true } }

    func release() {
        mayPass.lock()
        state.withLock { $0.isHolding = false }
        mayPass.broadcast()
        mayPass.unlock()
    }

    /// Closes it and every connection; nothing listens there any more.
    func close() {
        let peers = state.withLock { state in
            state.isOpen = false
            return state.peers
        }
        release()
        listener.shutDown()
        for peer in peers { peer.shutDown() }
    }

    private func accept() {
        while let peer = listener.accepted() {
            let isOpen = state.withLock { state in
                state.peers.append(peer)
                return state.isOpen
            }
            guard isOpen else { break }
            Thread.detachNewThread { [self] in serve(peer) }
        }
        listener.close()
    }

    private func serve(_ peer: TCPSocket) {
        defer {
            state.withLock { $0.peers.removeAll { $0.descriptor == peer.descriptor } }
            peer.close()
        }
        var bytes: [UInt8] = []
        while let request = Self.next(&bytes, from: peer) {
            state.withLock { $0.requests.append(request) }
            let answer = answer(request)
            waitIfHeld()
            guard state.withLock({ $0.isOpen }), say(answer, to: peer) else { return }
        }
    }

    private func waitIfHeld() {
        mayPass.lock()
        defer { mayPass.unlock() }
        guard state.withLock({ $0.isHolding }) else { return }
        state.withLock { $0.heldCount += 1 }
        while state.withLock({ $0.isHolding }) { mayPass.wait() }
        state.withLock { $0.heldCount -= 1 }
    }

    private func say(_ answer: Answer, to peer: TCPSocket) -> Bool {
        var head = "HTTP/1.1 \(answer.status) Some\r\n"
        if answer.status != 304 { head += "Content-Length: \(answer.body.count)\r\n" }
        for field in answer.fields { head += field + "\r\n" }
        let body = answer.body.prefix(answer.cutAfter ?? answer.body.count)
        return peer.say(Array((head + "\r\n").utf8) + body) && answer.cutAfter == nil
    }

    /// The next request, with its body.
    private static func next(_ bytes: inout [UInt8], from peer: TCPSocket) -> Request? {
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let range = bytes.firstRange(of: end) {
                let head = String(decoding: bytes[..<range.lowerBound], as: UTF8.self)
                let length = field("content-length", in: head).flatMap { Int($0) } ?? 0
                if bytes.count - range.upperBound >= length {
                    var request = parsed(head)
                    let end = range.upperBound + length
                    request?.body = Array(bytes[range.upperBound..<end])
                    bytes.removeSubrange(..<end)
                    return request
                }
            }
            let more = peer.received()
            guard !more.isEmpty else { return nil }
            bytes += more
        }
    }

    private static func field(_ name: String, in head: String) -> String? {
        head.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix(name + ":") }
            .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
    }

    private static func parsed(_ head: String) -> Request? {
        let words = head.components(separatedBy: "\r\n")[0].split(separator: " ")
        guard words.count == 3 else { return nil }
        return Request(
            path: String(words[1].dropFirst()), validator: field("if-none-match", in: head),
            method: String(words[0]), name: field("idempotency-key", in: head),
            trace: field("traceparent", in: head), traceState: field("tracestate", in: head),
            authorization: field("authorization", in: head),
            contentType: field("content-type", in: head),
            contentEncoding: field("content-encoding", in: head),
            acceptEncoding: field("accept-encoding", in: head))
    }
}
