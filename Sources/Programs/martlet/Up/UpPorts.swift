import CacheConfiguration
import CacheModel
import CommandSurface

/// The ports of a cluster that `up` starts from flags, counted from the first publisher's:
///
///     0 …      publishers, two each
///     then     shards, in the order of the nodes
///     … 62     metrics and health, downwards: publishers, nodes, the gateway
///     63       gateway
///     64 … 69  members of etcd
///     70 …     if 0 … 62 are too few: shards, then metrics of the nodes, upwards
struct UpPorts {
    private static let lastOfMetrics = ConfigurationLimits.standardPortsCount - 2
    private static let firstBehindAll =
        ConfigurationLimits.standardPortsCount + 2 * UpEtcd.memberCount

    private let first: UInt16
    private let publisherCount: Int
    private let nodeCount: Int
    private let shardCount: Int

    /// - Throws: ``CommandFailure`` if there is no such cluster, or a port is beyond the last one.
    init(_ command: UpCommand) throws(CommandFailure) {
        first = command.port
        publisherCount = command.publishers
        (nodeCount, shardCount) = (command.nodes, command.shards)
        let counts = [
            ("--publishers", publisherCount, ConfigurationLimits.publishers.upperBound),
            ("--nodes", nodeCount, ConfigurationLimits.nodesMax),
            ("--shards", shardCount, ConfigurationLimits.shards.upperBound),
        ]
        for (flag, count, most) in counts where !(1...most).contains(count) {
            throw CommandFailure(.wrongUsage, "\(flag) is 1 to \(most)")
        }
        let portMax = Int(UInt16.max) - lastOffset
        guard (1...portMax).contains(Int(first)) else {
            throw CommandFailure(
                .wrongUsage,
                "--port is 1 to \(portMax): the \(lastOffset) ports after it are used too")
        }
    }

    /// Whether all have room before the gateway's port.
    private var areTogether: Bool {
        3 * publisherCount + nodeCount * (shardCount + 1) <= Self.lastOfMetrics + 1
    }

    private var firstShard: Int { areTogether ? 2 * publisherCount : Self.firstBehindAll }

    /// Of the last port that is used.
    private var lastOffset: Int {
        guard areTogether else { return firstShard + nodeCount * (shardCount + 1) - 1 }
        return publisherCount > 1 ? Self.firstBehindAll - 1 : Self.lastOfMetrics + 1
    }

    /// The control port of a publisher; the next one is that of its live channel.
    func publisher(_ index: Int) -> UInt16 { port(2 * index) }

    /// Gives each shard a port, and each node and publisher one for metrics.
    ///
    /// - Parameter configuration: with the publishers and nodes that were counted.
    func assign(to configuration: inout ClusterConfiguration) {
        if configuration.publishers.isEmpty {
            configuration.publisher.http = metricsOfPublisher(0)
        }
        for index in configuration.publishers.indices {
            configuration.publishers[index].http = metricsOfPublisher(index)
        }
        for index in configuration.nodes.indices {
            configuration.nodes[index].port = port(firstShard + index * shardCount)
            configuration.nodes[index].http = metricsOfNode(index)
        }
    }

    private func metricsOfPublisher(_ index: Int) -> HTTPPlace {
        .loopback(port: port(Self.lastOfMetrics - index))
    }

    private func metricsOfNode(_ index: Int) -> HTTPPlace {
        guard areTogether else {
            return .loopback(port: port(firstShard + nodeCount * shardCount + index))
        }
        return metricsOfPublisher(publisherCount + index)
    }

    /// Does not overflow: ``init(_:)`` has compared the greatest offset.
    private func port(_ offset: Int) -> UInt16 { first + UInt16(offset) }
}
