/// What triggers the next request.
package enum LoopKind: Hashable, Sendable {
    /// An answer: a fixed number of operations is in flight, and the next is due as one ends.
    case closed
    /// The clock: a number of requests each second, whether or not there is capacity.
    case open(perSecond: Int, ArrivalPattern)
}
