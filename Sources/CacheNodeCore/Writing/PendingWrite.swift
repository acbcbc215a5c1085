/// A write that some message waits for.
struct PendingWrite {
    var request: UInt64
    var operation: Int
}
