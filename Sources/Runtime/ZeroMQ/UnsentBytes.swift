import Synchronization

/// How many bytes of long frames one receiver has been sent and has not taken yet: libzmq holds
/// them. Counted down on libzmq's thread when it releases a frame.
public final class UnsentBytes: Sendable {
    private let count = Atomic<Int>(0)
    /// Where the same bytes are counted, too.
    private let sums: [UnsentBytes]

    public init() { sums = [] }

    init(within sums: [UnsentBytes]) { self.sums = sums }

    public var value: Int { count.load(ordering: .relaxed) }

    func add(_ bytes: Int) {
        count.add(bytes, ordering: .relaxed)
        for sum in sums { sum.add(bytes) }
    }

    func subtract(_ bytes: Int) {
        count.subtract(bytes, ordering: .relaxed)
        for sum in sums { sum.subtract(bytes) }
    }
}
