import CacheModel

/// Counters of judged answers, by their standing.
package struct AnswerTally: Hashable, Sendable {
    package internal(set) var freshCount = 0
    /// Fresh answers with a least version to show.
    package internal(set) var promisedCount = 0
    package internal(set) var staleCount = 0
    package internal(set) var unfencedCount = 0
    package internal(set) var missCount = 0
    package internal(set) var wrongCount = 0

    package init() {}

    mutating func count(_ answer: JudgedAnswer) {
        switch answer.standing {
        case .fresh:
            freshCount += 1
            if answer.floor > .none { promisedCount += 1 }
        case .stale: staleCount += 1
        case .unfenced: unfencedCount += 1
        case .miss: missCount += 1
        }
    }
}
