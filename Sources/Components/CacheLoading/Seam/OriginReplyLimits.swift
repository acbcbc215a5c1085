/// Bounds on an origin's answer, in addition to the namespace's own bound on values.
package enum OriginReplyLimits {
    /// Maximum bytes of an answer's field names and values together. No server sends more on
    /// purpose, and it would have to be buffered.
    package static let fieldBytesMax = 65_536
    /// Maximum bytes read of an unneeded body, so that the connection can be reused; closing it is
    /// cheaper than reading more.
    package static let droppedBytesMax = 65_536
}
