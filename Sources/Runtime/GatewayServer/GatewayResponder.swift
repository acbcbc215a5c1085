import CacheHTTP
import HTTPTypes
import HummingbirdCore
import Logging
import MartletClient
import NIOCore

/// Answers the requests of a connection one after the other; one instance for all connections.
///
///     head ─▶ PageGuard ─▶ GatewayOrder ─▶ caller, rights ─▶ body ─▶ GatewayDesk ─▶ answer
///                 any of them may end it with a Problem
struct GatewayResponder: Sendable {
    var desk: GatewayDesk
    var stream: StreamDoor
    var origins: AllowedOrigins
    var meter: GatewayMeter
    var patience: Duration
    var bodyBytesMax: Int
    /// Whether no client is asked for a token, and it is reachable only from this machine.
    var isOpen: Bool
    /// Whether a read needs a token.
    var isTokenAsked: Bool
    let date = DateField()

    /// The same, for streams of HTTP/2.
    var forStreams: GatewayResponder {
        var responder = self
        responder.desk.room = desk.room.forStreams
        return responder
    }

    /// The outcome of a request.
    private enum Outcome {
        case answer(HeldAnswer)
        case visitor(StreamVisitor)
    }

    /// - Throws: only errors that end the connection.
    func respond(
        to request: Request, _ writer: consuming ResponseWriter, on channel: any Channel
    ) async throws {
        let head = RequestHead(request.head)
        var visit = Visit(head, meter)
        defer { visit.end() }
        let endsReading = Self.endsReading(request, on: channel)
        var isLast = endsReading
        var isAsked = false
        let outcome: Outcome
        do {
            outcome = try await visit.trace.follow {
                try await decide(head, request, writer, on: channel, &isAsked)
            }
        } catch let problem as Problem {
            meter.refused(problem.kind)
            outcome = .answer(HeldAnswer(problem.answer))
            isLast = isLast || problem.leavesBody(of: request)
        } catch let error as CacheError {
            meter.failed(error)
            let problem = Problem(error)
            meter.refused(problem.kind)
            outcome = .answer(HeldAnswer(problem.answer))
        }
        // A body that was not asked for may come all the same, or never.
        isLast = isLast || Self.waits(request) && !isAsked
        switch outcome {
        case .visitor(let visitor):
            visit.answers(visitor)
            var fields = origins.fields(for: head)
            visit.trace.name(in: &fields)
            // A subscriber stays for long, and there may be thousands: its request is freed.
            _ = consume head
            try await stream.serve(visitor, consume fields, writer, on: channel)
        case .answer(let found):
            let held = fitting(found, head)
            defer { desk.room.budget.giveBack(held.heldBytes) }
            let answer = finished(held.answer, to: head, &visit)
            if endsReading { try await Self.stopReading(channel) }
            guard isLast else { return try await write(answer, writer) }
            try await writeLast(answer, writer, on: channel)
        }
    }

    /// - Parameter isAsked: set once a client that waited for it was asked for the body.
    /// - Throws: a ``Problem`` or a ``CacheError``, and errors that end the connection.
    private func decide(
        _ head: RequestHead, _ request: Request, _ writer: borrowing ResponseWriter,
        on channel: any Channel, _ isAsked: inout Bool
    ) async throws -> Outcome {
        try PageGuard.check(
            head, isOpen: isOpen, isTokenAsked: isTokenAsked, origins)
        if let answer = try origins.preflight(head) { return .answer(HeldAnswer(answer)) }
        if head.method == "GET", StreamOrder.isMeant(by: head.target) {
            return .visitor(try await stream.admit(head, on: channel))
        }
        if let page = try DashboardDesk.answer(head) { return .answer(HeldAnswer(page)) }
        if Self.endsReading(request, on: channel), !Self.hasBody(request) {
            try await Self.stopReading(channel)
        }
        let order = try GatewayOrder(head)
        let caller =
            if case .document = order { Caller.anybody } else { try desk.caller(head) }
        try caller.check(order)
        try BodyReader.checkLength(request, upTo: bodyBytesMax(order))
        if Self.waits(request) {
            isAsked = true
            try await writer.writeInformationalHead(HTTPResponse(status: .continue))
        }
        if case .read(let read) = order { return .answer(try await answer(read)) }
        return .answer(try await answer(order, caller, request, channel))
    }

    private func answer(
        _ order: GatewayOrder, _ caller: Caller, _ request: Request, _ channel: any Channel
    ) async throws -> HeldAnswer {
        switch order {
        case .store(let order):
            return try await withBody(of: request, upTo: bodyBytesMax, on: channel) { body in
                let stored = try await desk.store(order, body)
                desk.room.note(order.key, order.namespace, bytes: body.count)
                return HeldAnswer(stored.answer)
            }
        case .remove(let order): return HeldAnswer(try await desk.remove(order))
        case .purge(let order): return HeldAnswer(try await desk.invalidate(order))
        case .invalidate:
            return try await withBody(
                of: request, upTo: InvalidationOrder.bodyBytesMax, on: channel
            ) { body in
                let order = try InvalidationOrder(body: body)
                try caller.check(order)
                return HeldAnswer(try await desk.invalidate(order))
            }
        case .batch(let namespace, let terms):
            return try await withBody(
                of: request, upTo: BatchOrder.bodyBytesMax, on: channel
            ) { body in
                switch try BatchBody(namespace, terms, body: body) {
                case .read(let order):
                    try caller.check(order)
                    return try await desk.batch(order)
                case .store(let batch):
                    try caller.check(batch)
                    return await desk.store(batch)
                }
            }
        case .explain(let namespace, let key):
            return HeldAnswer(
                try await ExplanationAnswer.gathered(key, namespace, from: desk.client).answer)
        case .cluster:
            let cluster = try await ClusterAnswer.gathered(
                from: desk.client, within: desk.lookTime)
            return HeldAnswer(cluster.answer)
        case .read, .stream: throw Problem(.fault, "a read and the stream have ways of their own")
        case .document(let isOlder):
            let line = isOlder ? OpenAPIDocument.olderLine : OpenAPIDocument.line
            return HeldAnswer(Answer(200, jsonLine: line))
        }
    }

    /// Longest body of an order.
    private func bodyBytesMax(_ order: GatewayOrder) -> Int {
        switch order {
        case .store: bodyBytesMax
        case .invalidate: InvalidationOrder.bodyBytesMax
        default: BatchOrder.bodyBytesMax
        }
    }

    /// Calls `body` with a complete body.
    private func withBody(
        of request: Request, upTo bytesMax: Int, on channel: any Channel,
        _ use: ([UInt8]) async throws -> HeldAnswer
    ) async throws -> HeldAnswer {
        let reader = BodyReader(room: desk.room, patience: patience)
        let body = try await reader.read(request, upTo: bytesMax, on: channel)
        defer { desk.room.budget.giveBack(desk.room.counted(body.count)) }
        // NIO's decoder would keep all later bytes until the cluster has answered.
        if Self.endsReading(request, on: channel) { try await Self.stopReading(channel) }
        meter.took(bytes: body.count)
        return try await use(body)
    }
}

// MARK: The last request of a connection

extension GatewayResponder {
    /// Whether no other request of this connection will be read: NIO's decoder treats bytes after
    /// `Upgrade` or CONNECT as another protocol's, and keeps them.
    private static func endsReading(_ request: Request, on channel: any Channel) -> Bool {
        guard channel.parent?.parent == nil else { return false }
        return request.headers[.upgrade] != nil || request.head.method == .connect
    }

    /// Whether the client waits to be asked for its body.
    private static func waits(_ request: Request) -> Bool {
        request.headers[.expect]?.lowercased() == "100-continue"
    }

    /// Bytes that will not be read stay in the kernel, which bounds them.
    private static func stopReading(_ channel: any Channel) async throws {
        try await channel.setOption(.autoRead, value: false).get()
    }

    private static func hasBody(_ request: Request) -> Bool {
        request.headers[.transferEncoding] != nil
            || (request.headers[.contentLength].flatMap { Int($0) } ?? 0) > 0
    }

    /// Closes the connection after a request once its answer had time to arrive: nothing is read
    /// after it, or its body is not read.
    private func writeLast(
        _ answer: Answer, _ writer: consuming ResponseWriter, on channel: any Channel
    ) async throws {
        var answer = answer
        // A stream of HTTP/2 ends by itself, and has no such field.
        let isStream = channel.parent?.parent != nil
        if !isStream { answer.fields.append("Connection", "close") }
        try await write(answer, writer)
        _ = channel.eventLoop.scheduleTask(in: TimeAmount(GatewayLimits.lingering)) {
            channel.close(promise: nil)
        }
    }
}

extension Problem {
    /// Whether a request with this outcome may have an endless body that is not read.
    fileprivate func leavesBody(of request: Request) -> Bool {
        switch kind {
        case .bodyTooLarge, .slowRequest: true
        case .unauthenticated, .forbidden, .foreignPage, .misdirected, .methodNotAllowed,
            .unknownRoute, .malformedTarget, .malformedField:
            request.headers[.transferEncoding] != nil
                || (request.headers[.contentLength].flatMap { Int($0) } ?? 0)
                    > GatewayLimits.pieceBytes
        default: false
        }
    }
}

// MARK: Writing

extension GatewayResponder {
    /// The common fields of every answer, and its counters.
    func finished(_ found: Answer, to head: RequestHead, _ visit: inout Visit) -> Answer {
        var answer = found
        for field in origins.fields(for: head).fields {
            answer.fields.append(field.name, field.value)
        }
        visit.trace.name(in: &answer.fields)
        visit.answers(answer)
        return answer
    }

    private func write(_ answer: Answer, _ writer: consuming ResponseWriter) async throws {
        var head = HTTPResponse(answer)
        head.headerFields[.date] = date.text
        guard answer.body.count > GatewayLimits.pieceBytes else {
            let body = ByteBuffer(bytes: answer.body)
            return try await writer.write(
                response: head,
                body: answer.body.isEmpty ? ResponseBody() : ResponseBody(byteBuffer: body))
        }
        // In pieces: each must be accepted before the next is written.
        var pieces = try await writer.writeHead(head)
        for start in stride(from: 0, to: answer.body.count, by: GatewayLimits.pieceBytes) {
            let end = min(start + GatewayLimits.pieceBytes, answer.body.count)
            try await pieces.write(ByteBuffer(bytes: answer.body[start..<end]))
        }
        try await pieces.finish(nil)
    }
}
