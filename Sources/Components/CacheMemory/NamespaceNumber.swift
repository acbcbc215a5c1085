/// A namespace's dense number within one process, given by whoever knows the names.
///
/// Numbers begin at zero and have no holes worth mentioning: floors are kept in an array by them.
public struct NamespaceNumber: Hashable, Sendable {
    @usableFromInline package let rawValue: UInt16

    @inlinable
    package init(_ rawValue: UInt16) {
        self.rawValue = rawValue
    }
}
