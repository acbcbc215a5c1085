import CacheHTTP
import CacheModel
import HTTPTypes
import HummingbirdCore
import Logging
import MartletClient
import NIOCore
import Threading

/// Answers the requests of a connection one after the other; one instance for all connections.
///
///     head ─▶ GatewayAdmission ─▶ near cache ─▶ body ─▶ OrderExecutor ─▶ GatewayAnswer ─▶ writer
///             parse, authorise    of a read        any of them may end it with a Problem
///
/// A read from the near cache ends on the event loop (``NearDoor``); all else is the work of a
/// task. Why: docs/decisions/0110-one-way-through-the-gateway.md
struct GatewayResponder: Sendable {
    var admission: GatewayAdmission
    var executor: OrderExecutor
    var stream: StreamDoor
    var meter: GatewayMeter
    var patience: Duration
    var bodyBytesMax: Int
    let date = DateField()
    let decisions = DecisionTable()

    /// The same, for streams of HTTP/2.
    var forStreams: GatewayResponder {
        var responder = self
        responder.executor.room = executor.room.forStreams
        return responder
    }

    /// - Throws: only errors that end the connection.
    func respond(
        to request: Request, _ writer: consuming ResponseWriter, on channel: any Channel
    ) async throws {
        let decision = decision(about: request.head, on: channel)
        let head = decision.head
        var visit = Visit(head, meter, since: decision.begunAt)
        defer { visit.end() }
        let endsReading = Self.endsReading(request, on: channel)
        var isLast = endsReading
        var isAsked = false
        let decided: GatewayAnswer
        do {
            decided = try await visit.trace.follow {
                try await decide(decision, request, writer, on: channel, &isAsked)
            }
        } catch let problem as Problem {
            decided = .whole(refusal(problem))
            isLast = isLast || problem.leavesBody(of: request)
        } catch let error as CacheError {
            meter.failed(error)
            decided = .whole(refusal(Problem(error)))
        }
        // A body that was not asked for may come all the same, or never.
        isLast = isLast || Self.waits(request) && !isAsked
        guard case .whole(let found, let heldBytes) = decided else {
            visit.subscribes(decided)
            var fields = admission.origins.fields(for: head)
            visit.trace.name(in: &fields)
            // A subscriber stays for long, and there may be thousands: its request is freed.
            _ = consume head
            _ = consume decision
            return try await stream.serve(decided, consume fields, writer, on: channel)
        }
        let sent = fitting(found, heldBytes, head)
        defer { executor.room.budget.giveBack(sent.heldBytes) }
        let answer = finished(sent.answer, to: head, &visit)
        if endsReading { try await Self.stopReading(channel) }
        guard isLast else { return try await write(answer, writer) }
        try await writeLast(answer, writer, on: channel)
    }

    /// - Parameter isAsked: set once a client that waited for it was asked for the body.
    /// - Throws: a ``Problem`` or a ``CacheError``, and errors that end the connection.
    private func decide(
        _ decision: GatewayAdmission.Decision, _ request: Request,
        _ writer: borrowing ResponseWriter,
        on channel: any Channel, _ isAsked: inout Bool
    ) async throws -> GatewayAnswer {
        switch try decision.admitted.get() {
        case .answered(let answer): return .whole(answer)
        case .stream(let order): return try await stream.admit(order, decision.head, on: channel)
        case .order(let order, let caller):
            if Self.endsReading(request, on: channel), !Self.hasBody(request) {
                try await Self.stopReading(channel)
            }
            try BodyReader.checkLength(request, upTo: bodyBytesMax(order))
            if Self.waits(request) {
                isAsked = true
                try await writer.writeInformationalHead(HTTPResponse(status: .continue))
            }
            return try await answer(order, caller, request, channel)
        }
    }

    /// The answer to a read from the near cache, and its visit, which ends once it is written.
    ///
    /// - Returns: `nil` for every other case, also for an invalid request: ``respond(to:_:on:)``
    ///   answers that, and finds what was decided here.
    func nearAnswer(
        to request: HTTPRequest, on channel: any Channel
    ) -> (answer: Answer, visit: Visit)? {
        guard let near = executor.near, request.method == .get || request.method == .head,
            Self.isPlain(request.headerFields)
        else { return nil }
        let decision = admission.decision(about: request)
        // A longer value requires space in the value budget.
        guard case .success(.order(.read(let order), _)) = decision.admitted,
            let value = near.knownValue(for: order),
            value.bytes.count <= GatewayLimits.valueBytesUncounted
        else {
            decisions.put(decision, about: request, for: channel)
            return nil
        }
        let head = decision.head
        var visit = Visit(head, meter, since: decision.begunAt)
        let found = executor.answer(order, value)
        let sent = head.method == "HEAD" ? found.withoutBody : found
        return (finished(sent, to: head, &visit), visit)
    }

    /// What the event loop has decided about a request; otherwise it is decided now.
    func decision(
        about request: HTTPRequest, on channel: any Channel
    ) -> GatewayAdmission.Decision {
        guard executor.near != nil, request.method == .get || request.method == .head else {
            return admission.decision(about: request)
        }
        return decisions.take(about: request, for: channel) ?? admission.decision(about: request)
    }

    /// Whether no field of the request concerns its connection or a body.
    private static func isPlain(_ fields: HTTPFields) -> Bool {
        fields[.connection] == nil && fields[.upgrade] == nil && fields[.expect] == nil
            && fields[.transferEncoding] == nil && fields[.contentLength] == nil
    }
}

// MARK: Orders

extension GatewayResponder {
    private func answer(
        _ order: GatewayOrder, _ caller: Caller, _ request: Request, _ channel: any Channel
    ) async throws -> GatewayAnswer {
        switch order {
        case .read(let order): return try await answer(order)
        case .store(let order):
            return try await withBody(of: request, upTo: bodyBytesMax, on: channel) { body in
                let stored = try await executor.store(order, body)
                executor.room.note(order.key, order.namespace, bytes: body.count)
                return .whole(stored.answer)
            }
        case .remove(let order): return .whole(try await executor.remove(order))
        case .purge(let order): return .whole(try await executor.invalidate(order))
        case .invalidate:
            return try await withBody(
                of: request, upTo: InvalidationOrder.bodyBytesMax, on: channel
            ) { body in
                let order = try InvalidationOrder(body: body)
                try caller.check(order)
                return .whole(try await executor.invalidate(order))
            }
        case .batch(let namespace, let terms):
            return try await withBody(
                of: request, upTo: BatchOrder.bodyBytesMax, on: channel
            ) { body in
                switch try BatchBody(namespace, terms, body: body) {
                case .read(let order):
                    try caller.check(order)
                    return try await executor.batch(order)
                case .store(let batch):
                    try caller.check(batch)
                    return await executor.store(batch)
                }
            }
        case .explain(let namespace, let key):
            return .whole(
                try await ExplanationAnswer.gathered(key, namespace, from: executor.client).answer)
        case .cluster:
            let cluster = try await ClusterAnswer.gathered(
                from: executor.client, within: executor.lookTime)
            return .whole(cluster.answer)
        case .stream: preconditionFailure("the stream is admitted by its door")
        case .document(let isOlder):
            let line = isOlder ? OpenAPIDocument.olderLine : OpenAPIDocument.line
            let fields = FieldList(["Content-Type": "application/json"])
            return .whole(Answer(200, fields, body: Array(line.utf8)))
        }
    }

    /// Requests a value from the cluster, if there is space for it.
    ///
    /// - Throws: ``ProblemKind/busy``, and errors of the cluster.
    private func answer(_ order: ReadOrder) async throws -> GatewayAnswer {
        let (answer, bytes) = try await executor.room.around([order.key], order.namespace) {
            let answer = try await executor.read(order)
            return (answer, [Self.length(answer)])
        }
        guard [206, 416].contains(answer.status) else { return .whole(answer, heldBytes: bytes) }
        // The node sent the whole value; the rest of it is already freed.
        let counted = executor.room.counted(answer.body.count)
        try executor.room.budget.settle(bytes, as: counted)
        return .whole(answer, heldBytes: counted)
    }

    /// The length of the value of an answer; `nil` if it is not stated.
    private static func length(_ answer: Answer) -> Int? {
        switch answer.status {
        case 200: answer.body.count
        // The value is longer than the part that is sent: `bytes 0-9/300`.
        case 206, 416:
            answer.fields["Content-Range"].flatMap { $0.split(separator: "/").last }
                .flatMap { Int($0) }
        // A missing key has no expected length.
        case 404, 504: 0
        default: nil
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
        _ use: ([UInt8]) async throws -> GatewayAnswer
    ) async throws -> GatewayAnswer {
        let reader = BodyReader(room: executor.room, patience: patience)
        let body = try await reader.read(request, upTo: bytesMax, on: channel)
        defer { executor.room.budget.giveBack(executor.room.counted(body.count)) }
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
        !channel.isStream
            && (request.headers[.upgrade] != nil || request.head.method == .connect)
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
        request.headers[.transferEncoding] != nil || (request.headers.statedLength ?? 0) > 0
    }

    /// Closes the connection after a request once its answer had time to arrive: nothing is read
    /// after it, or its body is not read.
    private func writeLast(
        _ answer: Answer, _ writer: consuming ResponseWriter, on channel: any Channel
    ) async throws {
        var answer = answer
        // A stream of HTTP/2 ends by itself, and has no such field.
        if !channel.isStream { answer.fields.append("Connection", "close") }
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
                || (request.headers.statedLength ?? 0) > GatewayLimits.pieceBytes
        default: false
        }
    }
}

// MARK: Writing

extension GatewayResponder {
    private func refusal(_ problem: Problem) -> Answer {
        meter.refused(problem.kind)
        return problem.answer
    }

    /// The answer to send, and the bytes reserved for it: itself, without its body for HEAD; or
    /// busy, if there is no space for it and it has no reservation yet.
    private func fitting(
        _ found: Answer, _ heldBytes: Int, _ head: RequestHead
    ) -> (answer: Answer, heldBytes: Int) {
        let answer = head.method == "HEAD" ? found.withoutBody : found
        // A refusal is short, and more useful than busy.
        guard heldBytes == 0, answer.status < 400 else { return (answer, heldBytes) }
        let counted = executor.room.counted(answer.body.count)
        do throws(Problem) {
            try executor.room.budget.take(counted)
        } catch {
            return (refusal(error.afterwards(head.method)), 0)
        }
        return (answer, counted)
    }

    /// The common fields of every answer, and its counters.
    private func finished(_ found: Answer, to head: RequestHead, _ visit: inout Visit) -> Answer {
        var answer = found
        for field in admission.origins.fields(for: head).fields {
            answer.fields.append(field.name, field.value)
        }
        visit.trace.name(in: &answer.fields)
        visit.answers(answer)
        return answer
    }

    /// The head of an answer, with its date.
    func head(of answer: Answer) -> HTTPResponse {
        var head = HTTPResponse(answer)
        head.headerFields[.date] = date.text
        return head
    }

    private func write(_ answer: Answer, _ writer: consuming ResponseWriter) async throws {
        let head = self.head(of: answer)
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
