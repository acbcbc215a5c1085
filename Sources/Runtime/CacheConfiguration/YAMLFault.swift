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
