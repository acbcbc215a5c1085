package import CacheModel

/// What an invalidation covers, in the tier's own terms: numbers and borrowed bytes.
package enum TierScope {
    /// One key; with a minimum version only values of lesser versions, or of none.
    case key(
        NamespaceNumber, hash: KeyHash, key: UnsafeRawBufferPointer, minimumVersion: Version?)
    case tag(NamespaceNumber, UnsafeRawBufferPointer)
    /// Every key of the namespace that begins with these bytes.
    case prefix(NamespaceNumber, UnsafeRawBufferPointer)
    case namespace(NamespaceNumber)
    case everything
}
