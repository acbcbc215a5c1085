import CacheConfiguration
import CacheModel

/// What `invalidate` can name.
enum InvalidationKind: String, CaseIterable {
    case key
    case tag
    case prefix
    case namespace
    case pattern
    case all

    /// Reads one as it is typed.
    static func read(_ text: String) throws -> InvalidationKind {
        guard let kind = InvalidationKind(rawValue: text) else {
            let names = allCases.map { "'\($0.rawValue)'" }
            throw TextProblem(
                "Please provide one of \(names.dropLast().joined(separator: ", ")) and "
                    + "\(names[names.count - 1]).")
        }
        return kind
    }

    /// Whether it deserves a question before it is done: what is named is more than one thinks.
    var isSweeping: Bool { self == .namespace || self == .all }

    /// The scope that a name of this kind means.
    ///
    /// - Throws: ``TextProblem`` if the name cannot be one. Traps for ``all``, which has none, and
    ///   for ``pattern``, which is no scope.
    func target(_ name: String, in namespace: Namespace) throws -> Scope.Target {
        switch self {
        case .key: .key(try ArgumentText.key(name), in: namespace)
        case .tag: .tag(try ArgumentText.tag(name), in: namespace)
        case .prefix: .prefix(try ArgumentText.prefix(name), in: namespace)
        case .namespace: .namespace(try ArgumentText.namespace(name))
        case .pattern: preconditionFailure("a pattern is no scope")
        case .all: preconditionFailure("everything has no name")
        }
    }
}
