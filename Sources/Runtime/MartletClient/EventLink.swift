import CacheClientCore
import CacheModel
import Threading
import ZeroMQ

/// The publisher that a thread follows, and its way to the client's loop, which knows the leader.
struct EventLink: Sendable {
    let place: LeaderNews.Place
    let control: Endpoint
    let live: Endpoint
    let loop: ClientLoop
    let wakeup: Wakeup

    /// - Throws: if an endpoint of the publisher is unknown or cannot be connected to.
    init(
        to place: LeaderNews.Place, _ loop: ClientLoop, _ wakeup: Wakeup
    ) throws(EndpointError) {
        self.place = place
        control = try Endpoint(place.control, for: .connecting)
        live = try Endpoint(place.live, for: .connecting)
        self.loop = loop
        self.wakeup = wakeup
    }

    var context: Context { loop.context }
    var keys: CurveKeyPair? { loop.configuration.keys?.pair }

    /// Whether another publisher may lead in its place.
    var isOneOfSeveral: Bool { loop.leader.isOneOfSeveral }

    /// A connection for requests.
    func connect() throws(ZeroMQError) -> Socket {
        let asker = try Socket(context, .dealer)
        try asker.connect(control)
        return asker
    }

    /// The link to the publisher that leads by now; `nil` while it is the same one, or none of this
    /// cluster is known. A follower does not change to another cluster by itself, since positions
    /// of its log have no meaning there.
    var next: EventLink? {
        guard let leader = loop.leader.place, leader != place,
            !leader.cluster.contradicts(place.cluster),
            (leader.control, leader.live) != (place.control, place.live)
        else { return nil }
        do throws(EndpointError) {
            return try EventLink(to: leader, loop, wakeup)
        } catch {
            // It has not reported its endpoints yet, or they cannot be used from here.
            return nil
        }
    }
}

/// What a follower tells the client's loop about its publisher, at most once in a while.
struct LeaderReport {
    private var notBefore = Instant(nanoseconds: 0)

    /// Tells the loop that the publisher does not lead, or is silent. The loop finds the leader,
    /// and may find that it is the same one.
    mutating func send(_ loss: ClientLoop.LeaderLoss, of link: EventLink, at now: Instant) {
        guard now >= notBefore else { return }
        notBefore = now.advanced(by: ClientLimits.leaderReportPause)
        _ = link.loop.inbox.post(.leaderLost(endpoint: link.place.control, loss))
    }
}
