import CacheWorkload

/// A drawn request, and how much of it was sent.
struct PendingRequest {
    let request: WorkloadRequest
    let dueAt: UInt64
    /// For a scan: how many of its keys were sent, and under which operation.
    var sentKeyCount = 0
    var scanTag: UInt32 = 0

    init(_ request: WorkloadRequest, dueAt: UInt64) {
        self.request = request
        self.dueAt = dueAt
    }
}
