/// Where the publisher listens, how often it speaks, and how much of its log it keeps.
package struct PublisherSettings: Hashable, Sendable {
    /// Where others connect to for everything but the live channel: `tcp://…` or `ipc://…`.
    package var endpoint: String
    /// Where nodes subscribe to the live channel. `nil`: the port after ``endpoint``'s.
    package var liveEndpoint: String?
    /// How long a node may call its entries fresh after it last heard the publisher.
    package var lease: Duration
    /// How long the live channel is silent at most; a loss at the end of a burst is found after it.
    package var heartbeat: Duration
    /// Most records the log keeps for replays; the oldest leave first. A node that missed more
    /// than is kept must forget what it cannot prove.
    package var retentionRecordsMax: Int
    /// Most bytes of records the log keeps for replays; the oldest leave first.
    package var retentionBytesMax: Int
    /// How long records are kept for replays; `nil`: as long as the other bounds allow.
    package var retentionAgeMax: Duration?
    /// The directory of the log; `nil`: it is in memory and lost with its process.
    package var log: String?
    /// When the log is synchronized.
    package var logSync: LogSyncMode
    /// Where it answers monitoring systems over HTTP; `nil`: nowhere.
    package var http: HTTPPlace?

    /// A publisher on the standard port, which need not be named.
    package static let standard = PublisherSettings(
        endpoint: "tcp://127.0.0.1:\(ConfigurationLimits.standardPort)", liveEndpoint: nil,
        lease: .seconds(3), heartbeat: .milliseconds(500),
        retentionRecordsMax: 1_000_000, retentionBytesMax: 256 << 20,
        retentionAgeMax: nil, log: nil, logSync: .always)

    /// The live channel's endpoint, given or derived. `nil` only if ``endpoint`` is no endpoint
    /// or uses the last port, which `parse` refuses.
    package var effectiveLiveEndpoint: String? {
        if let liveEndpoint { return liveEndpoint }
        do throws(TextProblem) {
            return try EndpointText.parse(endpoint).following(1)?.text
        } catch {
            return nil
        }
    }
}

/// When what is appended to a log on disk survives losing power.
package enum LogSyncMode: String, Hashable, Sendable, CaseIterable {
    /// Before any process hears of it.
    case always
    /// A tenth of a second later.
    case interval
    /// When the system likes.
    case none
}
