import ArgumentParser
import CacheConfiguration
import CacheModel

/// What `invalidate` can name.
enum InvalidationKind: String, CaseIterable, ExpressibleByArgument {
    case key
    case tag
    case prefix
    case namespace
    case all

    /// Whether it deserves a question before it is done: what is named is more than one thinks.
    var isSweeping: Bool { self == .namespace || self == .all }

    /// The scope that a name of this kind means.
    ///
    /// - Throws: ``TextProblem`` if the name cannot be one. Traps for ``all``, which has none.
    func target(_ name: String, in namespace: Namespace) throws -> Scope.Target {
        switch self {
        case .key: .key(try ArgumentText.key(name), in: namespace)
        case .tag: .tag(try ArgumentText.tag(name), in: namespace)
        case .prefix: .prefix(try ArgumentText.prefix(name), in: namespace)
        case .namespace: .namespace(try ArgumentText.namespace(name))
        case .all: preconditionFailure("everything has no name")
        }
    }
}
