package import AccessControl
package import CacheConfiguration
import CacheInvalidation
import CacheModel
import CacheWire
package import EtcdStorage
package import PublisherCore
package import Storage
package import ZeroMQ

/// Where a publisher listens, what it plans, and how much of its log it keeps.
package struct PublisherOptions: Sendable {
    /// Where nodes, clients and the command line connect to. Port 0 lets the system choose.
    package var control: Endpoint
    /// Where nodes subscribe. `nil`: the port after ``control``'s, or any for port 0.
    package var live: Endpoint?
    /// The endpoints that others are told to connect to, where they differ from the bound ones.
    package var advertisedControl: Endpoint?
    package var advertisedLive: Endpoint?
    /// The nodes and times. Its endpoints are filled in once they are known.
    package var plan: PublisherPlan
    package var retentionRecordsMax = 1_000_000
    package var retentionBytesMax = 256 << 20
    /// The publisher's keys and its access control list; `nil`: access control is off.
    package var access: AccessSettings?
    /// The audit log; its owner ends it, after the publisher.
    package var audit: AuditLog?
    /// The directory of the log; `nil`: the log is in memory, or on etcd.
    package var log: LogFilesOptions?
    /// What a log on etcd needs; `nil`: the log is elsewhere. Excludes ``log``.
    package var etcd: EtcdPublisherOptions?

    package init(control: Endpoint, plan: PublisherPlan) {
        self.control = control
        self.plan = plan
    }

    /// The options of a cluster's configuration, but for ``etcd``: that needs secrets which the
    /// configuration does not have.
    ///
    /// - Parameter publisher: the settings of this publisher; `nil`: those of the configuration.
    /// - Throws: for an endpoint that cannot be listened on.
    package init(
        _ configuration: ClusterConfiguration, of publisher: PublisherSettings? = nil
    ) throws(EndpointError) {
        let publisher = publisher ?? configuration.publisher
        self.init(
            control: try Endpoint(publisher.endpoint), plan: PublisherPlan(configuration))
        if let text = publisher.effectiveLiveEndpoint { live = try Endpoint(text) }
        retentionRecordsMax = publisher.retentionRecordsMax
        retentionBytesMax = publisher.retentionBytesMax
        if case .directory(let directory) = publisher.log {
            log = LogFilesOptions(directory: directory, publisher)
            log?.mayBeginSlots = configuration.topology == .slots
        }
    }

    /// The live channel's endpoint, given or derived; `nil` where the port after the control
    /// endpoint's does not exist or there are no ports.
    var effectiveLive: Endpoint? {
        if let live { return live }
        guard let port = control.port, port < .max else { return nil }
        return control.withPort(port == 0 ? 0 : port + 1)
    }
}

/// A publisher by its name, and where its configuration says that it is reached.
package struct NamedPublisher: Hashable, Sendable {
    package let name: String
    package let control: String

    package init(_ name: String, at control: String) {
        self.name = name
        self.control = control
    }
}

/// A publisher with a log on etcd: one of several that can lead.
package struct EtcdPublisherOptions: Hashable, Sendable {
    /// Its name among the publishers, of the form of a ``CacheModel/NodeID``.
    package var name: String
    /// The names and control endpoints of all publishers, this one among them, as they are
    /// configured.
    package var members: [NamedPublisher]
    /// Where etcd is, and how the publisher shows its identity.
    package var client: EtcdOptions
    /// Every key of the cluster in etcd begins with it; a slash at its end does not count.
    package var prefix: String
    /// Where the publisher keeps how far it has seen the log: a directory of its own.
    package var stateDirectory: String

    package init(
        name: String, among members: [NamedPublisher], client: EtcdOptions, prefix: String,
        stateDirectory: String
    ) {
        self.name = name
        self.members = members
        self.client = client
        self.prefix = prefix
        self.stateDirectory = stateDirectory
    }
}

extension LogFilesOptions {
    /// What a cluster's configuration says of the log, in another directory perhaps.
    package init(directory: String, _ settings: PublisherSettings) {
        self.init(
            directory: directory,
            retention: LogRetention(
                recordsMax: settings.retentionRecordsMax, bytesMax: settings.retentionBytesMax,
                secondsMax: settings.retentionAgeMax.map { UInt64($0.components.seconds) }))
        sync =
            switch settings.logSync {
            case .always: .always
            case .interval: .interval
            case .none: .none
            }
    }
}

/// Where a publisher listens in truth.
package struct PublisherEndpoints: Hashable, Sendable {
    package let control: Endpoint
    package let live: Endpoint
}

extension PublisherPlan {
    /// What a cluster's configuration says of its nodes and times, and its text as it is served.
    package init(_ configuration: ClusterConfiguration) {
        self.init(
            nodes: configuration.nodes.map {
                Node(
                    id: $0.id, shards: $0.shards,
                    weightThousandths: $0.weightThousandths,
                    slotWeightThousandths: configuration.slotWeightThousandths(of: $0))
            })
        areWeightsStated = configuration.statesWeights
        kind = configuration.topology == .replicated ? .replicated : .sharded
        hasSeveralPublishers = configuration.publishers.count > 1
        lease = configuration.publisher.lease
        heartbeat = configuration.publisher.heartbeat
        beginsSlots = configuration.topology == .slots
        isOpen = configuration.membership == .open
        failoverAfter = configuration.publisher.failoverAfter
        replicaLags = configuration.namespaces.mapValues(\.replicaLag)
        replicaLagDefault = configuration.defaults.replicaLag
        self.configuration = ConfigReport(
            revision: configuration.revision, text: configuration.servedText())
    }

    /// The same plan with the endpoints that clients and nodes are told.
    func listening(at endpoints: PublisherEndpoints) -> PublisherPlan {
        var plan = self
        plan.controlEndpoint = endpoints.control.description
        plan.liveEndpoint = endpoints.live.description
        return plan
    }
}
