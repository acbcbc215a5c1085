import CacheModel
import CommandSurface
import MartletClient

/// Why a node is not live, as a sentence for the operator on call.
///
/// Made of the figures that the node tells about itself; a node of an older release tells none, and
/// then its state has to do.
struct NodeReason {
    /// The shard that may promise least speaks for its node.
    private let shard: StatusSnapshot
    private let status: NodeStatus

    /// - Returns: `nil` for a node that is live, or does not answer.
    init?(_ status: NodeStatus) {
        guard let state = status.state, state != .live,
            let shard = status.shards.first(where: { $0.state == state })
        else { return nil }
        self.shard = shard
        self.status = status
    }

    /// For how long the node has been in its state; `nil` where it does not say.
    var duration: Duration? { shard.duration("state_ms") }

    /// As one line: `n2 is SUSPECT for 12s: no word from the publisher for 15s`.
    var line: String {
        let time = duration.map { " for \(FigureText.timeLeft($0))" } ?? ""
        return "\(status.node) is \(shard.state)\(time): \(sentence)"
    }

    var sentence: String {
        switch reason {
        case .publisherUnheard:
            "it has not heard the publisher since its start; is the publisher up, and are its "
                + "control and live endpoints those that this node was given?"
        case .publisherSilent: silence
        case .noConfiguration: "it waits for the configuration, which the publisher has to send"
        case .replaying: replay
        case .diverged:
            "the digest of its log differs from the publisher's; it holds back everything until "
                + "the publisher tells it where to continue"
        case .shardsBehind:
            "it waits until each of its shards has applied the records it was handed"
        case .leaseWithheld:
            "the publisher answers and gives no lease: it cannot prove this node's place in its "
                + "log, or the node lags too far behind"
        case .leaseAwaited: "it has asked for its lease and waits for the answer"
        case .draining: drain
        case nil: guess
        }
    }

    private var reason: StandingReason? {
        shard.figures["standing_reason"].flatMap(UInt8.init(exactly:))
            .flatMap(StandingReason.init)
    }

    private var silence: String {
        let answer =
            shard.duration("control_silence_ms").map {
                "no answer from the publisher for \(FigureText.timeLeft($0))"
            } ?? "the publisher has never answered it"
        guard let quiet = shard.duration("heartbeat_silence_ms") else {
            return "\(answer), and no heartbeat was ever heard"
        }
        // Heartbeats come twice a second.
        return quiet < .seconds(2)
            ? "\(answer), though its heartbeats come: the control endpoint cannot be reached"
            : "\(answer), no heartbeat for \(FigureText.timeLeft(quiet))"
    }

    private var replay: String {
        let left = shard.figures["replay_left"] ?? 0
        return "it missed records and has them replayed, "
            + FigureText.count(Int(clamping: left), "record") + " left"
    }

    private var drain: String {
        let work = [
            (status.sum("waiting") ?? 0, "request", "requests"),
            (status.sum("uploads") ?? 0, "upload", "uploads"),
        ]
        let counts = work.filter { $0.0 > 0 }.map {
            FigureText.count(Int(clamping: $0.0), $0.1, $0.2)
        }
        return counts.isEmpty
            ? "it was told to leave, has finished what it accepted, and goes"
            : "it was told to leave and finishes \(counts.joined(separator: " and "))"
    }

    private var guess: String {
        switch shard.state {
        case .starting: "it has not heard the publisher since its start"
        case .recovering: "it recovers what it had before its start"
        case .syncing: "it has heard the publisher and waits for its first lease"
        case .catchingUp: replay
        case .suspect: "its lease is over and was not renewed"
        case .draining: drain
        case .live: "it is live"
        }
    }
}

extension StatusSnapshot {
    /// A figure of milliseconds; `nil` where it is not told.
    fileprivate func duration(_ figure: String) -> Duration? {
        figures[figure].map { .milliseconds(Int64(clamping: $0)) }
    }
}
