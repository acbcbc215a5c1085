/// All links, and the messages in flight.
///
/// It knows no process: a sender names a link, and ``World`` delivers what ``accept(_:)`` lets
/// through. Faults change links here.
final class SimulatedNetwork: WorldPart {
    let timeline: Timeline
    private var links: [Link] = []

    init(_ timeline: Timeline) {
        self.timeline = timeline
    }

    /// Adds a link.
    ///
    /// - Returns: its index.
    func makeLink(highWaterMark: Int = 1_000) -> Int {
        links.append(
            Link(
                delayMicroseconds: settings.linkDelayMicroseconds, highWaterMark: highWaterMark))
        return links.count - 1
    }

    /// The number of the present connection of a link.
    func connection(of link: Int) -> Int { links[link].connection }

    func highWaterMark(of link: Int) -> Int { links[link].highWaterMark }

    /// A new connection replaces the old one, whose messages are lost.
    func reconnect(_ link: Int) { links[link].reconnect() }

    // MARK: Messages

    /// Sends without waiting: a message that the link does not accept is lost.
    func send(_ cargo: Parcel.Cargo, over link: Int, run: Int) {
        let state = links[link]
        if state.cutCount > 0
            || state.dropPerMille > 0 && dice.chance(perMille: state.dropPerMille)
        {
            count(.drops)
            return note(.world, "drops a message of link", link)
        }
        guard state.underWayCount + state.held.count < state.highWaterMark else {
            count(.overflows)
            return note(.world, "overflows link", link)
        }
        let parcel = Parcel(link: link, connection: state.connection, run: run, cargo: cargo)
        guard state.holdCount == 0 else { return links[link].held.append(parcel) }
        dispatch(parcel)
        if state.duplicatePerMille > 0, dice.chance(perMille: state.duplicatePerMille) {
            dispatch(parcel)
        }
    }

    private func dispatch(_ parcel: Parcel) {
        let link = parcel.link
        let soonest = now + dice.span(microseconds: links[link].delayMicroseconds)
        let arrival = max(soonest, links[link].lastArrival + Span(nanoseconds: 1))
        links[link].lastArrival = arrival
        links[link].underWayCount += 1
        timeline.add(.arrives(parcel), at: arrival)
    }

    /// A parcel reaches the far end of its link.
    ///
    /// - Returns: `false` if its connection is gone, and the message with it.
    func accept(_ parcel: Parcel) -> Bool {
        if parcel.connection == links[parcel.link].connection {
            links[parcel.link].underWayCount -= 1
            return true
        }
        // A closed DEALER lingers: its queued messages still leave, on the old connection.
        if case .toPublisher = parcel.cargo { return true }
        return false
    }

    // MARK: Faults

    /// Messages sent from now on are lost.
    func cut(_ link: Int) { links[link].cutCount += 1 }

    func mend(_ link: Int) { links[link].cutCount -= 1 }

    /// Messages sent from now on wait for the end of all holds.
    func hold(_ link: Int) { links[link].holdCount += 1 }

    /// Ends a hold: after the last one the delayed messages are delivered, in order.
    func release(_ link: Int) {
        links[link].holdCount -= 1
        guard links[link].holdCount == 0 else { return }
        let held = links[link].held
        links[link].held = []
        for parcel in held where parcel.connection == links[link].connection { dispatch(parcel) }
    }

    /// Ends a hold without delivering.
    ///
    /// - Returns: the messages that wait, oldest first.
    func unhold(_ link: Int) -> [Parcel] {
        links[link].holdCount -= 1
        return links[link].held
    }

    /// The link becomes slow, and sometimes loses or duplicates messages.
    ///
    /// - Parameter mayDuplicate: `false` for requests: a client that asks twice is another client.
    func worsen(_ link: Int, mayDuplicate: Bool) {
        note(.world, "worsens link", link)
        links[link].dropPerMille = dice.pick([20, 200, 700])
        links[link].delayMicroseconds = 100...dice.pick([5_000, 500_000])
        if mayDuplicate { links[link].duplicatePerMille = dice.pick([0, 200]) }
    }

    func heal(_ link: Int) {
        links[link].dropPerMille = 0
        links[link].duplicatePerMille = 0
        links[link].delayMicroseconds = settings.linkDelayMicroseconds
    }
}

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

/// A message in flight.
struct Parcel {
    enum Cargo {
        /// Publisher to node, live channel.
        case live([UInt8])
        /// Publisher to node, control channel.
        case control([UInt8])
        /// Node or writer to publisher; `peer` is the sender's ROUTER identity.
        case toPublisher(peer: UInt32, [UInt8])
        /// A node's subscription to one topic.
        case subscription(run: Int)
        /// Client to shard.
        case request(ShardPlace, [UInt8])
        /// Shard to client: decoded at its sending.
        case answer(Answer)
        /// Publisher to a writer.
        case receipt([UInt8])
    }

    var link: Int
    /// The connection that it belongs to; messages of an older connection are lost.
    var connection: Int
    var run: Int
    var cargo: Cargo
}
