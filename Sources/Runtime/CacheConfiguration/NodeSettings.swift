package import CacheLoading
package import CacheModel

/// One node of the cluster.
package struct NodeSettings: Hashable, Sendable {
    /// Its name, unique in the cluster. Routing depends on it: a node under a new name owns
    /// other keys.
    package var id: NodeID
    /// Shards, each a thread with its own endpoint and its own part of ``memory``: 1 to 64.
    package var shards: Int = 1
    /// Its share of the keys relative to the other nodes' in a sharded topology, by shard.
    /// Whole thousandths, because that is how it travels.
    package var weight: Double = 1
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

    /// The weight as it travels: in thousandths.
    package var weightThousandths: UInt32 { UInt32((weight * 1_000).rounded()) }

    /// The endpoint of each shard, given or derived from ``port``; `nil` if the node chooses.
    package var shardEndpoints: [String]? {
        if let endpoints { return endpoints }
        guard let port else { return nil }
        return (0..<shards).map { "tcp://127.0.0.1:\(Int(port) + $0)" }
    }
}
