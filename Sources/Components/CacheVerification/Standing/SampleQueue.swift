/// A queue of samples: removal at the front and insertion at the back, both in amortized constant
/// time.
struct SampleQueue: Sendable {
    private var items: [SampleID] = []
    private var start = 0

    var first: SampleID? { start < items.count ? items[start] : nil }

    mutating func append(_ item: SampleID) { items.append(item) }

    /// - Precondition: the queue is not empty.
    mutating func removeFirst() {
        start += 1
        if start > 64, start * 2 > items.count {
            items.removeFirst(start)
            start = 0
        }
    }
}
