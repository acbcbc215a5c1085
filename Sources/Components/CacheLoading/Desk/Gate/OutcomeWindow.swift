import CacheModel

/// Successes and failures of the last ten seconds, counted per second: the counts cover the last
/// nine to ten seconds.
struct OutcomeWindow {
    struct Tally: Equatable {
        var good = 0
        var failed = 0

        var total: Int { good + failed }
    }

    /// A ring: the index of a second's bucket is that second modulo the number of buckets.
    private var buckets = [Tally](repeating: Tally(), count: DeskLimits.windowBuckets)
    private var newest: UInt64 = 0
    private(set) var sum = Tally()

    /// - Complexity: O(buckets).
    mutating func add(hasFailed: Bool, now: Instant) {
        advance(to: now)
        let index = Int(newest % UInt64(buckets.count))
        let path = hasFailed ? \Tally.failed : \Tally.good
        buckets[index][keyPath: path] += 1
        sum[keyPath: path] += 1
    }

    private mutating func advance(to now: Instant) {
        let second = now.nanoseconds / DeskLimits.bucketLength.wholeNanoseconds
        guard second > newest else { return }
        for passed in 0..<min(second - newest, UInt64(buckets.count)) {
            let index = Int((second - passed) % UInt64(buckets.count))
            sum.good -= buckets[index].good
            sum.failed -= buckets[index].failed
            buckets[index] = Tally()
        }
        newest = second
    }
}
