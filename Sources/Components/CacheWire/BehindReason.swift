/// Why an answer is ``ResultStatus/behind``. The numbers are on the wire.
public enum BehindReason: UInt8, CaseIterable, Sendable {
    /// The shard did not reach the requested position within the deadline.
    case position = 1
    /// The node's lease is over, and the namespace's policy is to refuse.
    case lease = 2
    /// FRESH was requested, and the publisher did not report its head within the deadline.
    case head = 3
}
