import CacheWorkload

/// A request that was drawn, and how far it was sent.
struct PendingRequest {
    let request: WorkloadRequest
    let dueAt: UInt64
    /// Of a scan: how many of its keys were sent, under which operation.
    var sentKeyCount = 0
    var scanTag: UInt32 = 0

    init(_ request: WorkloadRequest, dueAt: UInt64) {
        self.request = request
        self.dueAt = dueAt
    }
}
