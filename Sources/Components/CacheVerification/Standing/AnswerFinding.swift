/// The judgement of a node's answer, with respect to one invalidation.
package enum AnswerFinding: Hashable, Sendable {
    /// Why an answer is wrong.
    package enum Fault: String, CaseIterable, Hashable, Sendable {
        case appliedAndShown =
            "the node says that it applied the invalidation, and shows an older value as fresh"
        case shownAfterReceipt =
            "an older value is shown as fresh after the receipt said that all was reached"
        case shownAfterLease =
            "an older value is shown as fresh, and no lease can be as old as the invalidation"
    }

    /// The node shows no older value as fresh.
    case right(isShown: Bool)
    /// The node shows an older value as fresh, reports that it has not applied the record, and may.
    case behind
    case wrong(Fault)
    /// Unknown: the value was stored without a token, or in a log that was left since.
    case unknown
    /// Irrelevant: from a node that does not own the key and has no value, or about an entry that
    /// the invalidation does not cover.
    case beside
    case unanswered
}

extension AnswerFinding {
    /// Whether the node's clock, or a pause of its process, may alone explain it.
    var isWorthASecondLook: Bool {
        switch self {
        case .wrong(.shownAfterReceipt), .wrong(.shownAfterLease): true
        default: false
        }
    }

    /// Whether it is wrong independent of clocks.
    var isCertainlyWrong: Bool { self == .wrong(.appliedAndShown) }

    /// As a part of a history's line.
    var sentence: String {
        switch self {
        case .right(true): "right: filled since"
        case .right(false): "right: nothing older is shown as fresh"
        case .behind: "behind: it has not applied it yet, and may show it for a lease"
        case .wrong(let fault): "WRONG: \(fault.rawValue)"
        case .unknown: "cannot be told: outside of the promises, or filled in a log that was left"
        case .beside: "not counted: the invalidation does not cover what this node has"
        case .unanswered: "no answer"
        }
    }
}
