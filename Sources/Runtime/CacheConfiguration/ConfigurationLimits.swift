import CacheModel

/// Every bound of the configuration, side by side.
package enum ConfigurationLimits {
    /// The one format of the file so far.
    package static let formatVersion = 1
    /// Longest file.
    package static let fileBytesMax = 1 << 20
    /// Most lists and settings within each other. The deepest setting has 5 levels.
    package static let nestingMax = 32
    /// Longest normalised text, and longest list of nodes and endpoints: each travels in one
    /// frame of 1 MiB with room for what stands around it.
    package static let servedBytesMax = 1_000_000
    package static let nodesMax = 1_000
    package static let namespacesMax = 1_000
    package static let shards = 1...64
    /// Wide enough for a few entries beside the bookkeeping of an empty tier.
    package static let memoryBytesPerShardMin = 1 << 20
    package static let memoryBytesMax = 1 << 44
    /// Greatest `entries-max`; the least is one for each shard.
    package static let entriesMax = 1_000_000_000
    /// Least file that a disk tier can be divided into, and the greatest that its places reach.
    package static let diskBytesPerShard = (16 << 20)...(128 << 30)
    /// Below, a second's would be less than most records.
    package static let diskWriteBytesPerSecond = (64 << 10)...(1 << 40)
    /// What a disk tier may be told to leave free on its file system.
    package static let diskLeftFreeBytes = (1 << 20)...(1 << 50)
    /// What takes longer to come is not worth a core.
    package static let spin: ClosedRange<Duration> = .zero ... .milliseconds(10)
    /// More than a node would have cores for beside its shards.
    package static let ioThreads = 1...16
    package static let warmUpKeys = 1...1_000_000_000
    /// Keys a second.
    package static let warmUpRate = 1...1_000_000
    /// Bytes a second.
    package static let warmUpBytes = (64 << 10)...(1 << 40)
    /// Of so many operations one is logged.
    package static let sampleEvery = 1...1_000_000_000
    package static let weight = 0.001...1_000_000.0
    package static let ports = 1...65_535
    /// An endpoint's length travels in one byte.
    package static let endpointBytesMax = 255
    /// What a socket's address holds on every system, its closing zero left out.
    package static let socketPathBytesMax = 103

    package static let lease: ClosedRange<Duration> = .milliseconds(100) ... .seconds(600)
    package static let heartbeat: ClosedRange<Duration> = .milliseconds(10) ... .seconds(60)
    package static let failoverAfter: ClosedRange<Duration> = .seconds(1) ... .seconds(86_400)
    package static let retentionRecords = 1...1_000_000_000
    /// At least one record of the greatest size.
    package static let retentionBytes = (64 << 10)...(1 << 40)
    /// Each publisher has all of it in memory, and etcd's default quota is 2 GiB.
    package static let retentionBytesOnEtcd = retentionBytes.lowerBound...(1 << 30)
    package static let retentionAge: ClosedRange<Duration> =
        .seconds(1) ... .seconds(3_650 * 86_400)
    /// What a system's calls take.
    package static let pathBytesMax = 1_000

    /// Several publishers: with one more, the log would not be safer.
    package static let publishers = 2...7
    package static let etcdEndpoints = 1...16
    package static let etcdPrefixBytesMax = 200
    package static let etcdUserBytesMax = 128
    /// A password of etcd, without the end of its line.
    package static let etcdPasswordBytesMax = 1_024
    /// A file of certificates or with a key.
    package static let pemFileBytesMax = 1 << 20

    /// Longer is `none`.
    package static let timeToLive: ClosedRange<Duration> = .milliseconds(1)...LifetimeLimits.longest
    /// Below a half, what is called an hour is still about an hour.
    package static let timeToLiveJitter = 0...50
    package static let valueBytes = 1...(64 << 20)
    package static let gatewayBodyBytes = 1...(64 << 20)
    package static let gatewayConnections = 1...1_000_000
    package static let gatewayIdle: ClosedRange<Duration> = .seconds(1) ... .seconds(3_600)
    package static let holdOff: ClosedRange<Duration> = .zero ... .seconds(600)
    package static let loadLease: ClosedRange<Duration> = .milliseconds(100) ... .seconds(60)
    package static let staleWindow: ClosedRange<Duration> = .zero ... .seconds(7 * 86_400)
    package static let suspectWindow: ClosedRange<Duration> = .zero ... .seconds(7 * 86_400)

    /// Nodes remember for about a minute what was invalidated when.
    package static let replicaLag: ClosedRange<Duration> = .zero ... .seconds(60)

    package static let negativeTimeToLive: ClosedRange<Duration> = .zero ... .seconds(86_400)
    package static let originTimeout: ClosedRange<Duration> = .milliseconds(10) ... .seconds(600)
    package static let originConcurrency = 1...10_000
    package static let originQueue = 1...1_000_000
    package static let originRetries = 0...10
    package static let breakerPause: ClosedRange<Duration> = .milliseconds(100) ... .seconds(600)
    /// Beyond a half, a value would be loaded more often than its lifetime says.
    package static let refreshShare = 0...50

    package static let memoryMost = 1...100
    package static let memoryGuaranteed = 0...90
    /// Of all that is promised. The rest serves other namespaces and unforeseen needs.
    package static let memoryGuaranteedSumMax = 90
    /// Namespaces with a quota: a store looks at each when room is short.
    package static let quotasMax = 64

    package static let diskMost = 0...100
    /// Namespaces with a share of the disk: each is told of in a shard's status.
    package static let diskSharesMax = 64

    /// The publisher's port where none is named.
    package static let standardPort: UInt16 = 7_400
    /// Ports from the publisher's on that belong to a cluster started without a file.
    package static let standardPortsCount = 64
    /// Greatest publisher's port of such a cluster.
    package static let standardPortMax = UInt16(ports.upperBound - standardPortsCount + 1)
    /// Problems listed one by one; of more only their number is told.
    package static let problemsMax = 100
    /// Longest piece of a file that is repeated in a sentence, in characters.
    package static let quotedCharactersMax = 40

    /// The relations that must hold between them.
    package static func check() {
        precondition(servedBytesMax < fileBytesMax, "what is served must be a file that parses")
        precondition(
            memoryBytesMax >= shards.upperBound * memoryBytesPerShardMin,
            "a node with all its shards must be allowed the memory they need")
        precondition(
            NamespacePolicy.standard.valueBytesMax <= valueBytes.upperBound,
            "the default must be a value that may be written")
        precondition(
            retentionBytesOnEtcd.contains(PublisherSettings.retentionBytesOnEtcd),
            "the default must be a size that may be written")
        precondition(
            Int(weight.upperBound) * 1_000 <= Int(UInt32.max), "a weight travels in thousandths")
    }
}
