/// A namespace's dense number within one process, assigned by the owner of the names.
///
/// Numbers start at zero with few gaps: floors are kept in an array indexed by them.
public struct NamespaceNumber: Hashable, Sendable {
    @usableFromInline package let rawValue: UInt16

    @inlinable
    package init(_ rawValue: UInt16) {
        self.rawValue = rawValue
    }
}
