package import CacheModel

/// One of several publishers, of which one leads at a time: what it has for itself.
package struct PublisherMember: Hashable, Sendable {
    /// Its name, unique among the publishers: of the form of a node's.
    package var id: NodeID
    /// Where others connect to for everything but the live channel.
    package var endpoint: String
    /// Where nodes subscribe to the live channel. `nil`: the port after ``endpoint``'s.
    package var liveEndpoint: String?
    /// Where it answers monitoring systems over HTTP; `nil`: nowhere.
    package var http: HTTPPlace?
    /// Where it keeps how far it has seen the log: this publisher's alone. A path that is not
    /// absolute begins where the publisher was started.
    package var stateDirectory: String

    package init(id: NodeID, endpoint: String, stateDirectory: String) {
        self.id = id
        self.endpoint = endpoint
        self.stateDirectory = stateDirectory
    }

    /// The live channel's endpoint, given or derived, as of a publisher that stands alone.
    package var effectiveLiveEndpoint: String? {
        liveEndpoint ?? EndpointText.live(after: endpoint)
    }
}

/// Where nodes and clients reach a publisher.
package struct ConfiguredPublisher: Hashable, Sendable {
    package let control: String
    /// `nil` only where the port after that of ``control`` does not exist.
    package let live: String?
}

extension ClusterConfiguration {
    /// Where each publisher is, in the file's order; at least one.
    package var publisherAddresses: [ConfiguredPublisher] {
        guard publishers.isEmpty else {
            return publishers.map {
                ConfiguredPublisher(control: $0.endpoint, live: $0.effectiveLiveEndpoint)
            }
        }
        return [
            ConfiguredPublisher(
                control: publisher.endpoint, live: publisher.effectiveLiveEndpoint)
        ]
    }

    /// What one of several publishers runs with: what all share, and what it has for itself.
    ///
    /// - Returns: `nil` if there is no such publisher.
    package func publisherSettings(of id: NodeID) -> PublisherSettings? {
        guard let member = publishers.first(where: { $0.id == id }) else { return nil }
        var settings = publisher
        settings.endpoint = member.endpoint
        settings.liveEndpoint = member.liveEndpoint
        settings.http = member.http
        if case .etcd(var etcd) = settings.log {
            etcd.stateDirectory = member.stateDirectory
            settings.log = .etcd(etcd)
        }
        return settings
    }
}
