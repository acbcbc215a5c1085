/// Why what a tier held is nothing, though it is whole.
package enum DiscardCause: Equatable, Sendable {
    /// The node has had another life since.
    case otherLife
    /// Keys have other owners than when it was written.
    case otherOwners
}
