/// Why the contents of a disk tier are discarded, although they are intact.
package enum DiscardCause: Equatable, Sendable {
    /// The node has had another run since.
    case otherLife
    /// Keys have other owners than when it was written.
    case otherOwners
}
