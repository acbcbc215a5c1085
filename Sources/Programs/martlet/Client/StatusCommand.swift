import ArgumentParser
import CacheModel
import CommandSurface
import MartletClient

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the publisher and every node.",
        discussion: """
            applied is the position in the log that a node has applied, lag the number of records \
            that it still has to apply, lease how much longer it may call its entries fresh, \
            memory its use and its limit. Numbers are sums over a node's shards. Below, a line \
            for each node that is not LIVE says why. Ends with 2 if a process does not answer, \
            with 4 if your key may not ask one. --wait is for rolling restarts: it ends as soon \
            as every node is LIVE and filled from its replicas, or has its slots, and with 2 if \
            that takes longer.

              martlet status
              martlet status --wait 10m
              martlet status --watch --cluster tcp://127.0.0.1:7410
            """)

    private static let pause: Duration = .seconds(1)

    @Flag(help: "Look again every second until Ctrl-C.")
    var watch = false

    @Option(
        help: .value(
            "duration",
            "Wait until every node is LIVE, filled and has its slots, for this long at most."),
        transform: ArgumentText.duration)
    var wait: Duration?

    @OptionGroup var cluster: ClusterOptions

    func validate() throws {
        guard watch, wait != nil else { return }
        throw ValidationError("--watch does not end, so it does not go with --wait.")
    }

    func run() async throws {
        let style = cluster.style
        if let wait {
            let command = self
            return try await Interruption.ending { try await command.waitUntilFilled(wait, style) }
        }
        guard watch else {
            let status = try await cluster.withClient { try await ClusterStatus.gathered(from: $0) }
            return try cluster.finish(status.output(style))
        }
        let command = self
        try await Interruption.ending { try await command.follow(style) }
    }

    /// Looks until every node is LIVE and filled, or the time is up; prints what was seen last.
    private func waitUntilFilled(
        _ patience: Duration, _ style: OutputStyle
    ) async throws {
        let end = ContinuousClock.now + patience
        let status = try await cluster.withClient(for: .manyAnswers) { client in
            var status = try await ClusterStatus.gathered(from: client, isRefreshed: true)
            // Waiting longer does not fill a node after its fill has ended.
            while !status.isAtRest, ContinuousClock.now < end {
                try await Task.sleep(for: Self.pause)
                status = try await ClusterStatus.gathered(from: client, isRefreshed: true)
            }
            return status
        }
        var output = status.output(style)
        status.complainOfUnfilled(after: patience, in: &output)
        try cluster.finish(output)
    }

    private func follow(_ style: OutputStyle) async throws {
        let clearing = style != .json && Console.isOutputTerminal ? "\u{1B}[H\u{1B}[J" : ""
        try await cluster.withClient(for: .manyAnswers) { client in
            while !Task.isCancelled {
                let status = try await ClusterStatus.gathered(from: client, isRefreshed: true)
                var output = status.output(style)
                output.bytes = Array(clearing.utf8) + output.bytes
                try output.say()
                try await Task.sleep(for: Self.pause)
            }
        }
    }
}

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
        case .noConfiguration:
            "it has no configuration: none was sent, or none that it can read (its log says why)"
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
        case .noLeader:
            "publishers answer it, but none of them leads: ask martlet status for each of them "
                + "whether etcd can be reached"
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
