/// Why an answer is ``ResultStatus/behind``. The numbers are on the wire.
public enum BehindReason: UInt8, CaseIterable, Sendable {
    /// The shard has not reached the position asked for within the deadline.
    case position = 1
    /// The node's lease is over, and the namespace's policy is to refuse.
    case lease = 2
    /// FRESH was asked for, and the publisher did not say within the deadline where its head is.
    case head = 3
}
