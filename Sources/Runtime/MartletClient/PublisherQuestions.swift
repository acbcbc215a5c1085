import CacheClientCore
import CacheModel
import CacheWire

struct PublisherQuestions: Sendable {
    let loop: ClientLoop

    /// How long the publisher may wait, in the unit of the wire.
    func milliseconds(_ timeout: Duration?) -> UInt32 {
        UInt32(clamping: (timeout ?? loop.configuration.timeout).wholeMilliseconds)
    }

    /// Orders an invalidation, and waits for its receipt. Its scopes are checked.
    func invalidate(
        _ request: InvalidateRequest, _ timeout: Duration?
    ) async throws(CacheError) -> InvalidationReceipt {
        let question = AdminRequest(
            .publisher,
            .init(
                .repeatable, deadline: try deadline(timeout), seed: request.operation.low,
                attemptTimeout: attemptTimeout(request.wait, timeout))
        ) { request.encode(requestID: 0, into: &$0) }
        guard question.message.count <= InvalidationRecord.bytesMax else {
            throw CacheError(
                .invalidArgument,
                "an invalidation has at most 65536 bytes; use a tag or send several")
        }
        let receipt = try await loop.ask(question, .receipt, Receipt.init(decoding:))
        loop.wasOrdered(at: receipt.position, in: question.session)
        return InvalidationReceipt(receipt)
    }

    func receipt(
        _ request: AwaitRequest, _ timeout: Duration?
    ) async throws(CacheError) -> InvalidationReceipt {
        let question = AdminRequest(
            .publisher,
            .init(
                .read, deadline: try deadline(timeout), seed: request.position.sequence.rawValue,
                attemptTimeout: attemptTimeout(request.wait, timeout))
        ) { request.encode(requestID: 0, into: &$0) }
        return InvalidationReceipt(
            try await loop.ask(question, .receipt, Receipt.init(decoding:)))
    }

    private func deadline(_ timeout: Duration?) throws(CacheError) -> Instant {
        try loop.deadline((timeout ?? loop.configuration.timeout) + ClientLimits.receiptGrace)
    }

    /// While the publisher waits for nodes, a retry is useless.
    private func attemptTimeout(_ wait: WaitMode, _ timeout: Duration?) -> Duration {
        wait == .none
            ? ClientLimits.attemptTimeout
            : (timeout ?? loop.configuration.timeout) + ClientLimits.receiptGrace / 2
    }

    /// - Throws: ``CacheError/Code/invalidArgument`` unless one record can have these scopes.
    static func check(_ scopes: [Scope]) throws(CacheError) {
        guard (1...InvalidationRecord.scopesMax).contains(scopes.count) else {
            throw CacheError(
                .invalidArgument,
                "an invalidation has 1 to 1000 scopes, not \(scopes.count); send several")
        }
        guard scopes.allSatisfy(\.isMeaningful) else {
            throw CacheError(
                .invalidArgument,
                "a minimum version belongs to keys, a hash range to all others, and a prefix has "
                    + "1 to 4096 bytes")
        }
    }

    // MARK: Paced invalidations

    func order(
        _ request: PaceRequest, _ timeout: Duration?
    ) async throws(CacheError) -> PacedInvalidation {
        guard let answer = try await ask(request, timeout).first else {
            throw CacheError(
                .protocolViolation, "the publisher told nothing of what it was ordered",
                mayHaveHappened: true)
        }
        return answer
    }

    /// All requests are safe to retry.
    func ask(
        _ request: PaceRequest, _ timeout: Duration?
    ) async throws(CacheError) -> [PacedInvalidation] {
        let question = AdminRequest(
            .publisher,
            .init(.repeatable, deadline: try loop.deadline(timeout), seed: request.operation.low)
        ) { request.encode(requestID: 0, into: &$0) }
        let report = try await loop.ask(question, .pacingReport, PacingReport.init(decoding:))
        return report.lines.map(PacedInvalidation.init)
    }
}

extension OperationID {
    static func random() -> OperationID {
        OperationID(high: .random(in: 1...UInt64.max), low: .random(in: 1...UInt64.max))
    }
}

extension WaitMode {
    init(_ wait: InvalidationWait) {
        self =
            switch wait {
            case .none: .none
            case .quorum: .quorum
            case .all: .all
            }
    }
}

extension InvalidationReceipt {
    init(_ receipt: Receipt) {
        self.init(
            position: receipt.position,
            wait: InvalidationWait(rawValue: receipt.wait.description) ?? .none,
            isComplete: receipt.isComplete,
            nearCacheDelay: .milliseconds(Int64(receipt.nearCacheMilliseconds)),
            applied: receipt.applied.map { Line(node: $0.node, elapsed: $0.elapsed) },
            expired: receipt.expired.map { Line(node: $0.node, elapsed: $0.elapsed) },
            pending: receipt.pending, issuer: receipt.issuer)
    }
}

extension PacedInvalidation {
    fileprivate init(_ line: PacingReport.Line) {
        self.init(
            id: line.id, state: State(line.state), scopes: line.scopes, strength: line.strength,
            isDurable: line.isDurable, span: .milliseconds(Int64(line.spanMilliseconds)),
            sliceCount: Int(line.sliceCount), doneCount: Int(line.doneCount),
            left: .milliseconds(Int64(line.leftMilliseconds)), first: Self.known(line.first),
            last: Self.known(line.last))
    }

    private static func known(_ position: LogPosition) -> LogPosition? {
        position == .none ? nil : position
    }
}

extension PacedInvalidation.State {
    fileprivate init(_ state: PacingReport.State) {
        switch state {
        case .running: self = .running
        case .over: self = .over
        case .cancelled: self = .cancelled
        }
    }
}
