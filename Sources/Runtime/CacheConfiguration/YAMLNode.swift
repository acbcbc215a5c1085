/// One value of a YAML document.
struct YAMLNode {
    enum Content {
        case scalar(Scalar)
        case sequence([YAMLNode])
        case mapping([Pair])
    }

    /// A single value. Its type is not guessed: `1` and `"1"` have the same text.
    struct Scalar: Hashable {
        /// Without quotation marks, with escapes replaced.
        let text: String
        /// Whether it was written without quotation marks and not as a block (`|`, `>`).
        let isPlain: Bool
    }

    struct Pair {
        let key: YAMLNode
        let value: YAMLNode
    }

    /// Where it begins.
    let place: SourcePlace
    let content: Content

    /// Its values; `nil` if it is not a sequence.
    var sequence: [YAMLNode]? {
        if case .sequence(let values) = content { values } else { nil }
    }

    /// Whether nothing, or YAML's word for it, was written.
    var isNothing: Bool {
        guard case .scalar(let scalar) = content, scalar.isPlain else { return false }
        return ["", "~", "null"].contains(scalar.text)
    }

    /// What it is, for a sentence that expected something else.
    var kindForPeople: String {
        switch content {
        case .scalar(let scalar):
            isNothing ? "nothing" : "the value \(TextProblem.quote(scalar.text))"
        case .mapping: "settings"
        case .sequence: "a list"
        }
    }
}

/// What makes a text unreadable as one YAML document.
enum YAMLFault: Error {
    /// - Parameters:
    ///   - problem: libyaml's sentence.
    ///   - context: what libyaml was reading, and where that began; `nil` if it does not say.
    case syntax(problem: String, context: (text: String, place: SourcePlace)?, SourcePlace)
    /// A character that YAML does not allow. libyaml does not say on which line it is.
    case character(problem: String, code: Int)
    /// An anchor or an alias.
    case reference(SourcePlace)
    /// The place of the first of several keys with one name.
    case duplicateKey(String, SourcePlace)
    case secondDocument(SourcePlace)
    /// A sequence or mapping deeper than ``ConfigurationLimits/nestingMax``.
    case tooDeep(SourcePlace)
    case outOfMemory
}
