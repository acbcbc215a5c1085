/// A write that a message waits for.
struct PendingWrite {
    var request: UInt64
    var operation: Int
}
