import ByteCoding

/// A collector's answer to a batch.
package enum CollectorAnswer: Hashable, Sendable {
    /// It accepted the spans, except for this many.
    case taken(refusedCount: Int)
    /// It refused them for good: a retry is useless.
    case refused(String)
    /// It cannot accept them now; it may name a pause before the retry.
    case later(String, after: Duration?)

    /// - Parameters:
    ///   - retryAfter: the field `Retry-After`; only seconds are supported.
    ///   - body: the part of the body that was read.
    package init(status: Int, retryAfter: String?, body: [UInt8]) {
        switch status {
        case 200..<300: self = .taken(refusedCount: Self.refusedCount(body))
        case 429, 502, 503, 504:
            let seconds = retryAfter.flatMap { UInt32($0) }
            self = .later("it answered \(status)", after: seconds.map { .seconds(Int64($0)) })
        default: self = .refused("it answered \(status)")
        }
    }

    /// `{"partialSuccess":{"rejectedSpans":"3"}}`; an unreadable body counts as no refusal.
    private static func refusedCount(_ body: [UInt8]) -> Int {
        do throws(JSONReader.Damage) {
            guard case .members(let answer) = try JSONReader.read(body),
                case .members(let part)? = answer["partialSuccess"]
            else { return 0 }
            switch part["rejectedSpans"] {
            case .text(let digits): return max(Int(digits) ?? 0, 0)
            case .integer(let count): return max(count, 0)
            case .unsigned(let count): return Int(clamping: count)
            default: return 0
            }
        } catch {
            return 0
        }
    }
}
