package import CacheModel

/// An answer that no promise allows.
package struct WrongAnswer: Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        case olderThanPromised = "older than promised"
        case fromTheFuture = "from the future"
        case bytesOfAnotherKey = "bytes of another key"
        case damagedBytes = "damaged bytes"
    }

    package let kind: Kind
    package let answer: JudgedAnswer
    /// The contents of its bytes; `nil` if they are damaged.
    package let shown: VerifiedValue?
    /// The run that judged it.
    package let run: RunStamp
    /// The version of the database when the answer arrived.
    package let newest: Version

    /// What is wrong, in one sentence.
    package var description: String {
        "key \(answer.key): \(answer.standing.phrase) is \(kind.rawValue): " + reason
    }

    private var reason: String {
        switch kind {
        case .olderThanPromised:
            "it shows \(version), and version \(answer.floor) was promised before it was "
                + "asked for"
        case .fromTheFuture: "it shows \(version), and the newest there is is version \(newest)"
        case .bytesOfAnotherKey: "it shows \(version) of key \(shown.map { "\($0.key)" } ?? "?")"
        case .damagedBytes: "it is too short, or its checksum is another"
        }
    }

    private var version: String {
        guard let shown else { return "nothing" }
        return shown.run == run
            ? "version \(shown.version)" : "a value of another run (\(shown.run))"
    }
}

extension JudgedAnswer.Standing {
    /// As a part of a sentence.
    var phrase: String {
        switch self {
        case .fresh: "a fresh answer"
        case .stale: "an answer marked stale"
        case .unfenced: "an answer marked unfenced"
        case .miss: "a miss"
        }
    }
}
