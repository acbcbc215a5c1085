package import CacheModel

/// Assembles an origin's answer from its parts, within bounds, and decides whether it is complete.
///
///     receivedHead ─▶ received … received ─▶ outcome(of: .whole)
///           │ enough       │ enough                    ▲
///           └──────────────┴──▶ close the connection, then outcome(of: anything)
///
/// - **A value states its end**, by its length or by chunks. A value that ends with the connection
///   is refused as `malformed`, also over TLS: a server that dies closes its connections in the
///   same way, so half a value could not be distinguished from a complete one.
/// - **An answer that is not a value needs no body.** The body is dropped as it arrives, and the
///   answer is valid however the body ends; only as much of it is read as makes the connection
///   reusable.
/// - **Every answer to a write is of that kind.** The beginning of a refusal is kept, for people.
package struct ReplyAssembly: Sendable {
    /// Whether more of the answer is needed.
    package enum Verdict: Equatable, Sendable {
        case goOn
        /// Close the connection: the outcome is decided.
        case enough
    }

    package enum Ending: Equatable, Sendable {
        case whole
        case broken(LoadFailure)
    }

    private enum Course {
        case awaitingHead
        /// - Parameter expected: bytes of the body; `nil`: it is chunked.
        case collecting(expected: Int?)
        case dropping(droppedBytes: Int)
        case failed(LoadFailure)
    }

    private let valueBytesMax: Int
    private let isConditional: Bool
    private let isOfWrite: Bool
    private var course = Course.awaitingHead
    private var status = 0
    private var fields: [OriginField] = []
    private var body: [UInt8] = []

    /// - Parameters:
    ///   - valueBytesMax: longest body of a value.
    ///   - isConditional: whether the request had a validator; without one, a 304 is `malformed`.
    ///   - isOfWrite: whether the request was a write.
    package init(valueBytesMax: Int, isConditional: Bool, isOfWrite: Bool = false) {
        self.valueBytesMax = valueBytesMax
        self.isConditional = isConditional
        self.isOfWrite = isOfWrite
    }

    /// The head has arrived. Heads of status 1xx other than 101 must not be passed.
    package mutating func receivedHead(status: Int, fields: [OriginField]) -> Verdict {
        guard case .awaitingHead = course else { return fail(.malformed) }
        let bytes = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        guard bytes <= OriginReplyLimits.fieldBytesMax else { return fail(.malformed) }
        self.status = status
        self.fields = fields
        switch status {
        case 200... where isOfWrite: course = .dropping(droppedBytes: 0)
        case 204: course = .collecting(expected: 0)
        case 200...299: return beginValue()
        case 304 where !isConditional, ..<200: return fail(.malformed)
        default: course = .dropping(droppedBytes: 0)
        }
        return .goOn
    }

    private mutating func beginValue() -> Verdict {
        switch BodyFraming(of: fields) {
        case .length(let length) where length > valueBytesMax: return fail(.tooLarge)
        case .length(let length):
            // One allocation of the right size: memory that is never written is never used.
            body.reserveCapacity(length)
            course = .collecting(expected: length)
        case .chunks: course = .collecting(expected: nil)
        case .none: return fail(.malformed)
        }
        return .goOn
    }

    package mutating func received(_ part: UnsafeRawBufferPointer) -> Verdict {
        switch course {
        case .collecting(let expected):
            guard part.count <= (expected ?? .max) - body.count else { return fail(.malformed) }
            guard part.count <= valueBytesMax - body.count else { return fail(.tooLarge) }
            body.append(contentsOf: part)
            return .goOn
        case .dropping(let before):
            let droppedBytes = before + part.count
            if isOfWrite, status >= 300 {
                body.append(contentsOf: part.prefix(WriteLimits.wordsBytesMax - body.count))
            }
            course = .dropping(droppedBytes: droppedBytes)
            return droppedBytes <= OriginReplyLimits.droppedBytesMax ? .goOn : .enough
        case .awaitingHead: return fail(.malformed)
        case .failed: return .enough
        }
    }

    /// The attempt is over.
    ///
    /// - Parameter elapsed: since it began.
    package consuming func outcome(of ending: Ending, elapsed: Duration) -> AttemptOutcome {
        switch (course, ending) {
        case (_, .broken(.cancelled)): .failed(.cancelled)
        case (.failed(let failure), _): .failed(failure)
        case (.dropping, _): .answered(reply(elapsed: elapsed))
        case (_, .broken(let failure)): .failed(failure)
        case (.awaitingHead, .whole): .failed(.malformed)
        case (.collecting(let expected), .whole) where body.count < expected ?? 0:
            .failed(.unreachable)
        case (.collecting, .whole): .answered(reply(elapsed: elapsed))
        }
    }

    private func reply(elapsed: Duration) -> OriginReply {
        OriginReply(status: status, fields: fields, body: body, elapsed: elapsed)
    }

    private mutating func fail(_ failure: LoadFailure) -> Verdict {
        body = []
        course = .failed(failure)
        return .enough
    }
}

/// How an answer indicates the end of its body [1].
///
/// [1] RFC 9112, section 6
enum BodyFraming: Equatable {
    case length(Int)
    case chunks
    /// It does not indicate the end, or is ambiguous.
    case none

    init(of fields: [OriginField]) {
        var lengths: [String] = []
        var codings: [String] = []
        for field in fields {
            switch field.name.lowercased() {
            case "content-length": lengths.append(field.value)
            case "transfer-encoding": codings.append(field.value.lowercased())
            default: break
            }
        }
        switch (lengths.count, codings) {
        case (1, []):
            let digits = lengths[0].utf8
            let isNumber =
                !digits.isEmpty
                && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            self = isNumber ? Int(lengths[0]).map(Self.length) ?? .length(.max) : .none
        case (0, ["chunked"]): self = .chunks
        default: self = .none
        }
    }
}
