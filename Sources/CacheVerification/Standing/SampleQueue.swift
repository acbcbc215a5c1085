/// Samples in line; taken from the front, put in at the back, both in constant time on average.
struct SampleQueue: Sendable {
    private var items: [SampleID] = []
    private var start = 0

    var first: SampleID? { start < items.count ? items[start] : nil }

    mutating func append(_ item: SampleID) { items.append(item) }

    /// - Precondition: there is one.
    mutating func removeFirst() {
        start += 1
        if start > 64, start * 2 > items.count {
            items.removeFirst(start)
            start = 0
        }
    }
}
