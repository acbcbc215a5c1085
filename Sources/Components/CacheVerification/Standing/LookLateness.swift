/// How long after its delay nodes were asked: a look after one second is none if it was sent after
/// five.
package struct LookLateness: Hashable, Sendable {
    package private(set) var lookCount = 0
    package private(set) var most: Duration = .zero
    private var total: Duration = .zero

    package init() {}

    /// `nil` before the first look.
    package var mean: Duration? { lookCount == 0 ? nil : total / lookCount }

    /// - Parameter lateness: a negative one counts as zero.
    package mutating func note(_ lateness: Duration) {
        lookCount += 1
        let lateness = max(.zero, lateness)
        total += lateness
        most = max(most, lateness)
    }
}
