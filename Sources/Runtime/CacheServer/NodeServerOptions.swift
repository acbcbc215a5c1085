package import AccessControl
package import CacheConfiguration
package import CacheLoading
package import CacheModel
import CacheNodeCore
package import CacheOrigin
package import Telemetry
package import ZeroMQ

/// What a node is started with.
package struct NodeServerOptions: Sendable {
    package var node: NodeID
    /// One for each shard; port `*` lets the system choose.
    package var endpoints: [Endpoint]
    /// What others are told to connect to, where that is not what is bound, as behind a
    /// container's network; empty: what is bound.
    package var advertised: [String] = []
    /// Its weight if it may join without being listed.
    package var joinWeight = JoinWeight.none
    /// Its keys and the list of keys it lets in; `nil`: it asks no client for a key.
    package var access: AccessSettings?
    /// Its audit log; ended by the caller that made it, after the node.
    package var audit: AuditLog?
    /// Where it notes what took long; `nil`: nowhere.
    package var slow: SlowLog?
    /// Where it notes one of so many operations; `nil`: nowhere.
    package var sample: SampleLog?
    /// Where spans go of what it kept aside for recorded traces; `nil`: nowhere. Stopped by the
    /// caller that made it, after the node.
    package var spans: SpanExporter?
    /// All publishers of the cluster, tried in this order; not empty.
    package var publishers: [PublisherPlace]
    /// Bytes of entries of all shards together.
    package var memoryBytes: Int
    /// Entries in memory of all shards together, at least one for each; `nil`: no bound but memory.
    package var entriesMax: Int?
    /// The eviction policy when they are reached.
    package var evictionPolicy = EvictionPolicyName.adaptive
    /// What the node does while memory is short.
    package var memoryPressure = MemoryPressureResponse.react
    /// How long a shard that has nothing to do looks for requests before it sleeps.
    package var spin: Duration = .zero
    /// Threads that move and encrypt the bytes of connections, which are spread over them by
    /// number.
    package var ioThreadCount = 1
    /// Whether it asks a replica what to load when it has started.
    package var warmUp = WarmUpSettings()
    /// Where the node keeps what its memory has no room for; `nil`: nowhere.
    package var disk: DiskSettings?
    /// Where the node keeps writes that origins do not take now; `nil`: nowhere.
    package var queueDirectory: String?
    /// What holds for all origins over HTTP.
    package var origins = HTTPOriginSettings()
    /// Where secrets come from that origins name.
    package var secrets = SecretSources()
    /// Whether the node counts as not ready while an origin of it is off, or its write queue takes
    /// nothing.
    package var readyNeedsOrigins = false
    /// Wrong on purpose, in checked builds only.
    package var plantedBug = PlantedBug.none
    /// Where `/proc` is; empty but in tests.
    package var kernelRoot = ""

    /// The most publishers that a node may be given.
    package static let publishersMax = NodeControlLimits.publishersMax

    /// A node of the only publisher of a cluster.
    package init(
        node: NodeID, endpoints: [Endpoint], controlEndpoint: Endpoint, liveEndpoint: Endpoint,
        memoryBytes: Int
    ) {
        self.init(
            node: node, endpoints: endpoints,
            publishers: [PublisherPlace(control: controlEndpoint, live: liveEndpoint)],
            memoryBytes: memoryBytes)
    }

    package init(
        node: NodeID, endpoints: [Endpoint], publishers: [PublisherPlace], memoryBytes: Int
    ) {
        precondition(!publishers.isEmpty, "a node knows at least one publisher")
        self.node = node
        self.endpoints = endpoints
        self.publishers = publishers
        self.memoryBytes = memoryBytes
    }
}

/// Where one publisher listens.
package struct PublisherPlace: Hashable, Sendable {
    package var control: Endpoint
    /// `nil`: only its WELCOME names it. Of several publishers this one is not used.
    package var live: Endpoint?

    package init(control: Endpoint, live: Endpoint? = nil) {
        self.control = control
        self.live = live
    }
}

extension NodeServerOptions {
    func identity(
        _ incarnation: Incarnation, at endpoints: [String]
    ) -> NodeControlIdentity {
        NodeControlIdentity(
            node: node, incarnation: incarnation, endpoints: endpoints,
            joinWeight: joinWeight)
    }
}

extension PublisherAddress {
    init(_ place: PublisherPlace) {
        self.init(control: place.control.description, live: place.live?.description)
    }
}
