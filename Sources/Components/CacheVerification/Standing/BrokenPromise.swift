package import CacheModel

/// A wrong answer, with all that was seen of its key.
package struct BrokenPromise: Hashable, Sendable {
    package let key: WatchedKey
    /// Position of the invalidation that the answer does not reflect.
    package let position: LogPosition
    package let node: NodeID
    package let fault: AnswerFinding.Fault
    /// Time from the arrival of the invalidation to the request.
    package let delay: Duration
    package let answer: NodeAnswer
    package let history: [String]

    /// What is wrong, in one sentence.
    package var sentence: String {
        "\(fault.rawValue): \(node), \(MillisecondsText.text(of: delay)) after \(position)"
    }
}
