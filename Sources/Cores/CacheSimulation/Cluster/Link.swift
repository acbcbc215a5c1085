/// One direction of one channel, with its delays and losses.
///
/// As in ZeroMQ, the messages of one connection never overtake each other, a sender is never
/// blocked, and the newest messages are dropped beyond the high-water mark.
struct Link {
    var connection = 1
    /// When the last message of this connection arrives.
    var lastArrival = WorldTime.beginning
    var delayMicroseconds: ClosedRange<Int>
    var dropPerMille = 0
    var duplicatePerMille = 0
    var highWaterMark: Int
    /// Active faults that cut the link: messages sent meanwhile are lost.
    var cutCount = 0
    /// Active faults that delay the link: like with TCP, messages sent meanwhile arrive after the
    /// last of these faults.
    var holdCount = 0
    var held: [Parcel] = []
    /// Sent and not yet arrived.
    var underWayCount = 0

    init(delayMicroseconds: ClosedRange<Int>, highWaterMark: Int) {
        self.delayMicroseconds = delayMicroseconds
        self.highWaterMark = highWaterMark
    }

    /// A new connection replaces the old one.
    mutating func reconnect() {
        connection += 1
        lastArrival = .beginning
        underWayCount = 0
        held.removeAll()
    }
}
