/// What lets the next request go out.
package enum LoopKind: Hashable, Sendable {
    /// An answer: a fixed number is on its way. It is due when there is room for it.
    case closed
    /// The clock: so many each second, whether or not there is room.
    case open(perSecond: Int, ArrivalPattern)
}
