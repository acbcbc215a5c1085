/// Every bound on what is taken from an origin, beside the namespace's own on values.
package enum OriginReplyLimits {
    /// Most bytes of an answer's field names and values together. More is no answer that anybody
    /// writes on purpose, and it would have to be kept.
    package static let fieldBytesMax = 65_536
    /// Most bytes that are read of a body nobody wants, so that the connection can be used again;
    /// closing it is cheaper than reading more.
    package static let droppedBytesMax = 65_536
}
