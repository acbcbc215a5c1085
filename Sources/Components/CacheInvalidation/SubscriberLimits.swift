/// Every bound of the following side of an invalidation log. The publishing side has limits of its
/// own.
package enum SubscriberLimits {
    /// Most records held while a gap is open. Records beyond it are dropped, and replayed later:
    /// nothing is forgotten for it.
    package static let heldMax = 4_096
    /// Most encoded bytes held while a gap is open, under the same rule.
    package static let heldBytesMax = 4 << 20
    /// How many applied records' digests are remembered, to check what is said of them again.
    package static let rememberedMax = 4_096
    /// PINGs that may still be answered. An older one is given up.
    package static let pingsMax = 8
    /// Grants that wait until enough has been applied.
    package static let pendingGrantsMax = 8
}
