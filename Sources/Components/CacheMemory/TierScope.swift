package import CacheModel

/// The scope of an invalidation in the tier's own terms: numbers and borrowed bytes.
package enum TierScope {
    /// One key; with a minimum version only lower versions and unversioned values.
    case key(
        NamespaceNumber, hash: KeyHash, key: UnsafeRawBufferPointer, minimumVersion: Version?)
    case tag(NamespaceNumber, UnsafeRawBufferPointer)
    /// Every key of the namespace with this prefix.
    case prefix(NamespaceNumber, UnsafeRawBufferPointer)
    case namespace(NamespaceNumber)
    case everything
}
