import CacheModel

/// An event of a sampled key.
struct SampleEvent: Sendable {
    enum Kind: Sendable {
        case invalidated(LogPosition, Scope, InvalidationRecord.Strength)
        case receipt(isComplete: Bool)
        case answered(NodeID, NodeAnswer?, AnswerFinding)
        case differing
    }

    let at: Instant
    let kind: Kind
}

extension SampleEvent {
    /// The event in words, without its time.
    var sentence: String {
        switch kind {
        case .invalidated(let position, let scope, let strength):
            let softly = strength == .soft ? "softly " : ""
            return "\(softly)invalidated at \(position) by \(scope)"
        case .receipt(true): return "receipt: all nodes reached"
        case .receipt(false): return "receipt: not complete"
        case .differing: return "nodes show different versions of it, all fresh"
        case .answered(let node, let answer, let finding):
            return "\(node): \(answer.map { $0.sentence + "; " } ?? "")\(finding.sentence)"
        }
    }
}

extension NodeAnswer {
    var sentence: String {
        guard let entry else { return "\(verdict), applied \(applied)" }
        var parts = [verdict, "applied \(applied)"]
        if let filled = entry.filled { parts.append("filled at \(filled)") }
        if entry.version != .none { parts.append("version \(entry.version)") }
        if entry.isUnfenced { parts.append("stored without a token") }
        parts.append("stored \(MillisecondsText.text(of: entry.age)) earlier")
        return parts.joined(separator: ", ")
    }
}
