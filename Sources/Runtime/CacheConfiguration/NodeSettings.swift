package import CacheLoading
package import CacheModel

/// One node of the cluster.
package struct NodeSettings: Hashable, Sendable {
    /// Its name, unique in the cluster. Routing depends on it: a node under a new name owns
    /// other keys.
    package var id: NodeID
    /// Shards, each a thread with its own endpoint and its own part of ``memory``: 1 to 64.
    package var shards: Int = 1
    /// Its share of the keys relative to the other nodes', where keys have owners: by shard in a
    /// sharded topology, by node with slots. Whole thousandths, because that is how it travels.
    /// `nil`: 1, or with slots see ``ClusterConfiguration/slotWeightThousandths(of:)``.
    package var weight: Double?
    /// Bytes of keys, values and bookkeeping that all its shards may hold together.
    package var memory: Int = 256 << 20
    /// Entries in memory that all its shards may have together, at least one for each; `nil`: as
    /// many as there is memory for.
    package var entriesMax: Int?
    /// The eviction policy when its memory is full.
    package var eviction: EvictionPolicyName = .adaptive
    /// What it does while the machine or its cgroup is short of memory.
    package var memoryPressure: MemoryPressureResponse = .react
    /// How long a shard that has nothing to do looks for requests before it sleeps.
    package var spin: Duration = .zero
    /// Threads that move and encrypt the bytes of its connections.
    package var ioThreads: Int = 1
    /// Whether it is filled from its replicas when it has started.
    package var warmUp = WarmUpSettings()
    /// Where it keeps what its memory has no room for; `nil`: nowhere.
    package var disk: DiskSettings?
    /// Where it keeps writes that an origin does not take now, this node's alone; `nil`: nowhere. A
    /// path that is not absolute begins where the node was started.
    package var queueDirectory: String?
    /// Where it answers monitoring systems over HTTP; `nil`: nowhere.
    package var http: HTTPPlace?
    /// Of how many operations one has a line in its log; `nil`: none has.
    package var sampleEvery: Int?
    /// One endpoint per shard, in order of the shards. Excludes ``port``.
    package var endpoints: [String]?
    /// Port of shard 0 on 127.0.0.1; the others follow it. Without it and ``endpoints`` the node
    /// takes free ports and tells the publisher.
    package var port: UInt16?

    /// A node with everything at its default.
    package init(id: NodeID) {
        self.id = id
    }

    /// The weight as it travels, in thousandths, unless slots are in force.
    package var weightThousandths: UInt32 { weight.map(WeightText.thousandths) ?? 1_000 }

    /// The endpoint of each shard, given or derived from ``port``; `nil` if the node chooses.
    package var shardEndpoints: [String]? {
        if let endpoints { return endpoints }
        guard let port else { return nil }
        return (0..<shards).map { "tcp://127.0.0.1:\(Int(port) + $0)" }
    }
}

/// A node's disk tier: where it lies, how large it is, and how it is read.
package struct DiskSettings: Hashable, Sendable {
    /// Holds a file for each shard and is this node's alone. A path that is not absolute begins
    /// where the node was started.
    package var directory: String
    /// Bytes of all shards' files together, reserved when they are made; each shard has the same
    /// part. Within ``ConfigurationLimits/diskBytesPerShard`` for each.
    package var bytes: Int
    package var reads: DiskReadMode
    /// What all shards together may write in a second of what memory evicts, within
    /// ``ConfigurationLimits/diskWriteBytesPerSecond``; `nil` for all of it.
    package var writeBytesPerSecond: Int?
    /// The free space that is left on the file system, within
    /// ``ConfigurationLimits/diskLeftFreeBytes``: while less is free, the files give room back.
    /// `nil`: they keep all of it.
    package var leftFreeBytes: Int?

    package init(
        directory: String, bytes: Int, reads: DiskReadMode = .ring,
        writeBytesPerSecond: Int? = nil, leftFreeBytes: Int? = nil
    ) {
        self.directory = directory
        self.bytes = bytes
        self.reads = reads
        self.writeBytesPerSecond = writeBytesPerSecond
        self.leftFreeBytes = leftFreeBytes
    }
}

/// How a node reads its disk tier's files.
package enum DiskReadMode: String, Hashable, Sendable, CaseIterable {
    /// A few threads, each with one read under way.
    case threads
    /// A ring of the kernel's and no thread; threads where the kernel has none.
    case ring
}

/// What a node does while memory is short.
package enum MemoryPressureResponse: String, CaseIterable, Sendable {
    /// It evicts below its configured memory before the kernel ends it, and grows back after.
    case react
    /// It keeps its configured memory.
    case ignore
}
