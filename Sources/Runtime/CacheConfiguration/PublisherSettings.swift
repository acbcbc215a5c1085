/// Where the publisher listens, how often it speaks, and how much of its log it keeps.
package struct PublisherSettings: Hashable, Sendable {
    /// Where others connect to for everything but the live channel: `tcp://…` or `ipc://…`. Without
    /// a meaning where the configuration has several publishers: each has its own.
    package var endpoint: String
    /// Where nodes subscribe to the live channel. `nil`: the port after ``endpoint``'s.
    package var liveEndpoint: String?
    /// How long a node may call its entries fresh after it last heard the publisher.
    package var lease: Duration
    /// How long the live channel is silent at most; a loss at the end of a burst is found after it.
    package var heartbeat: Duration
    /// How long a node has no lease before its slots go to others; of ``TopologyKind/slots``.
    package var failoverAfter: Duration = .seconds(10)
    /// Most records the log keeps for replays; the oldest leave first. A node that missed more
    /// than is kept must forget what it cannot prove.
    package var retentionRecordsMax: Int
    /// Most bytes of records the log keeps for replays; the oldest leave first.
    package var retentionBytesMax: Int
    /// How long records are kept for replays; `nil`: as long as the other bounds allow. Not of a
    /// log on etcd.
    package var retentionAgeMax: Duration?
    package var log: LogStorage
    /// When a log in a directory is synchronized.
    package var logSync: LogSyncMode
    /// Where it answers monitoring systems over HTTP; `nil`: nowhere.
    package var http: HTTPPlace?

    /// A publisher on the standard port, which need not be named.
    package static let standard = PublisherSettings(
        endpoint: "tcp://127.0.0.1:\(ConfigurationLimits.standardPort)", liveEndpoint: nil,
        lease: .seconds(3), heartbeat: .milliseconds(500),
        retentionRecordsMax: 1_000_000, retentionBytesMax: 256 << 20,
        retentionAgeMax: nil, log: .memory, logSync: .always)

    /// Default of ``retentionBytesMax`` with a log on etcd: each publisher has all of it in memory.
    package static let retentionBytesOnEtcd = 64 << 20

    /// The live channel's endpoint, given or derived. `nil` only if ``endpoint`` is no endpoint
    /// or uses the last port, which `parse` refuses.
    package var effectiveLiveEndpoint: String? {
        liveEndpoint ?? EndpointText.live(after: endpoint)
    }
}

/// Where a publisher keeps its log.
package enum LogStorage: Hashable, Sendable {
    /// It is lost with its process.
    case memory
    /// On this machine. A path that is not absolute begins where the publisher was started.
    case directory(String)
    /// Several publishers can lead on it, one after the other.
    case etcd(EtcdSettings)

    /// How a log on etcd is written where a directory could stand. A directory of this name is
    /// written `./etcd`.
    package static let etcdWord = "etcd"
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
