/// What a node's answer comes to, held against one invalidation.
package enum AnswerFinding: Hashable, Sendable {
    /// Why an answer cannot be.
    package enum Fault: String, CaseIterable, Hashable, Sendable {
        case obeyedAndShown =
            "the node says that it obeyed the invalidation, and shows an older value as fresh"
        case shownAfterReceipt =
            "an older value is shown as fresh after the receipt said that all was reached"
        case shownAfterLease =
            "an older value is shown as fresh, and no lease can be as old as the invalidation"
    }

    /// Nothing older is shown as fresh.
    case right(isShown: Bool)
    /// Something older is shown as fresh by a node that says it has not heard yet, and may.
    case behind
    case wrong(Fault)
    /// Cannot be told: stored without a token, or in a log that was left since.
    case unknown
    /// Of a node that is not in charge and has nothing, or of an entry that is not covered.
    case beside
    case unanswered
}

extension AnswerFinding {
    /// Whether the clock of the node may be all that is wrong.
    var isWorthASecondLook: Bool {
        switch self {
        case .wrong(.shownAfterReceipt), .wrong(.shownAfterLease): true
        default: false
        }
    }

    /// Whether it is wrong whatever the clocks say.
    var isCertainlyWrong: Bool { self == .wrong(.obeyedAndShown) }

    /// As a part of a history's line.
    var sentence: String {
        switch self {
        case .right(true): "right: filled since"
        case .right(false): "right: nothing older is shown as fresh"
        case .behind: "behind: it has not obeyed yet, and may show it for a lease"
        case .wrong(let fault): "WRONG: \(fault.rawValue)"
        case .unknown: "cannot be told: outside of the promises, or filled in a log that was left"
        case .beside: "not counted: the invalidation does not cover what this node has"
        case .unanswered: "no answer"
        }
    }
}
