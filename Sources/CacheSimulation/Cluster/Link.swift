/// One direction of one channel: how long it takes, what it loses.
///
/// As in ZeroMQ the messages of one connection never overtake each other, a sender is never held
/// up, and beyond the high-water mark the newest are dropped.
struct Link {
    var connection = 1
    /// When the last message of this connection arrives.
    var lastArrival = WorldTime.beginning
    var delayMicroseconds: ClosedRange<Int>
    var dropPerMille = 0
    var duplicatePerMille = 0
    var highWaterMark: Int
    /// Faults that cut the link: what is sent is lost.
    var cutCount = 0
    /// Faults that hold it up: what is sent waits, as TCP makes it, and comes when they are over.
    var holdCount = 0
    var held: [Parcel] = []
    /// Sent and not yet arrived.
    var underWayCount = 0

    init(delayMicroseconds: ClosedRange<Int>, highWaterMark: Int) {
        self.delayMicroseconds = delayMicroseconds
        self.highWaterMark = highWaterMark
    }

    /// A new connection takes the place of the old one.
    mutating func reconnect() {
        connection += 1
        lastArrival = .beginning
        underWayCount = 0
        held.removeAll()
    }
}
