public import CacheModel
import Threading

/// The publishers of a cluster that has several, and the etcd that their log is on, at about one
/// moment.
public struct ClusterPublishers: Sendable {
    public struct Publisher: Sendable {
        /// Its name in the configuration.
        public var name: String
        /// Its endpoint for requests, as it is configured.
        public var controlEndpoint: String
        /// What it tells of itself, or the error of asking it.
        public var status: Result<StatusSnapshot, CacheError>
        /// Whether it leads: by its own word, or, if it does not answer, by that of the others.
        public var leads: Bool

        /// What it tells of itself; `nil` if it does not answer.
        public var snapshot: StatusSnapshot? { status.value }

        /// Whether etcd answers it; `nil` if it does not tell.
        public var reachesEtcd: Bool? {
            snapshot?.figures["etcd_refusing"].map { $0 == 0 }
        }
    }

    public struct EtcdMember: Hashable, Sendable {
        public var endpoint: String
        public var condition: EtcdCondition
        /// Whether it is etcd's own leader.
        public var isLeader: Bool
        /// Bytes of its database; 0 if it does not answer.
        public var databaseBytes: UInt64
    }

    /// In the order of their names.
    public var publishers: [Publisher]
    /// The number of the present term of leadership; `nil`: no leader is known.
    public var term: UInt64?
    /// For how long at least the term has lasted.
    public var termAge: Duration?
    /// By their endpoints, as the leader sees them; without one, as another publisher does.
    public var etcd: [EtcdMember]

    /// The publisher that leads; `nil`: none does, as far as is known.
    public var leader: Publisher? { publishers.first(where: \.leads) }

    /// The records that a standby has yet to read.
    ///
    /// - Returns: `nil` for the leader, and where one of both does not tell its position, or the
    ///   positions are of two epochs.
    public func lag(of publisher: Publisher) -> UInt64? {
        guard !publisher.leads, let head = leader?.snapshot?.position,
            let own = publisher.snapshot?.position, head.epoch == own.epoch
        else { return nil }
        let (newest, read) = (head.sequence.rawValue, own.sequence.rawValue)
        return newest > read ? newest - read : 0
    }
}

extension ClusterPublishers {
    /// A publisher by its name, and where it is reached.
    struct Place: Hashable, Sendable {
        let name: String
        let endpoint: String
    }

    private static let publisherName = "publisher:"
    private static let conditionName = "etcd_member_condition:"

    /// The publishers of the configuration, as one of them tells; empty if it tells none.
    static func places(_ snapshot: StatusSnapshot) -> [Place] {
        snapshot.figures.keys.filter { $0.hasPrefix(publisherName) }.sorted().compactMap { figure in
            // Names have no @.
            let parts = figure.dropFirst(publisherName.count)
                .split(separator: "@", maxSplits: 1).map(String.init)
            return parts.count == 2 ? Place(name: parts[0], endpoint: parts[1]) : nil
        }
    }

    /// Joins what the publishers tell.
    init(_ answers: [(place: Place, status: Result<StatusSnapshot, CacheError>)]) {
        let told = answers.compactMap { $0.status.value?.figures }
        let leading = told.filter { $0["leading"] == 1 }
        // Without a leader the word of one that reaches etcd counts most.
        let views = leading + told.filter { $0["leading"] != 1 && $0["etcd_refusing"] == 0 } + told
        publishers = answers.sorted { $0.place.name < $1.place.name }.map { place, status in
            let figure = "\(Self.publisherName)\(place.name)@\(place.endpoint)"
            let own = status.value?.figures["leading"]
            return Publisher(
                name: place.name, controlEndpoint: place.endpoint, status: status,
                leads: own.map { $0 == 1 } ?? (leading.isEmpty && views.first?[figure] == 1))
        }
        term = views.first?["term"]
        let ages = told.filter { $0["term"] == views.first?["term"] }.compactMap { $0["term_ms"] }
        termAge = ages.max().map { .milliseconds(Int64(clamping: $0)) }
        etcd = views.lazy.map(Self.members).first { !$0.isEmpty } ?? []
    }

    private static func members(_ figures: [String: UInt64]) -> [EtcdMember] {
        figures.filter { $0.key.hasPrefix(conditionName) }.sorted { $0.key < $1.key }
            .map { figure, value in
                let endpoint = String(figure.dropFirst(conditionName.count))
                let condition = UInt8(exactly: value).flatMap(EtcdCondition.init) ?? .troubled
                return EtcdMember(
                    endpoint: endpoint, condition: condition,
                    isLeader: figures["etcd_member_leads:\(endpoint)"] == 1,
                    databaseBytes: figures["etcd_member_bytes:\(endpoint)"] ?? 0)
            }
    }
}

// MARK: - Asking

extension CacheCluster {
    /// Asks every publisher of the cluster about itself, all at the same time.
    ///
    /// One publisher – of the topology, of the client's configuration, or the leader once it is
    /// found – tells which there are. A publisher that does not answer in time is in the result
    /// with its error.
    ///
    /// - Parameter timeout: for all of it; `nil` is the timeout of the client.
    /// - Returns: `nil` if the cluster has one publisher – then nothing is sent –, or if none of
    ///   several has told in time which there are.
    public func publishers(
        of topology: ClusterTopology, timeout: Duration? = nil
    ) async -> ClusterPublishers? {
        guard loop.leader.isOneOfSeveral else { return nil }
        let deadline: Instant
        do throws(CacheError) {
            deadline = try loop.deadline(timeout)
        } catch {
            return nil
        }
        let seeds = Set([topology.controlEndpoint] + client.configuration.endpoints)
            .filter { !$0.isEmpty }
        return await PublisherPoll(cluster: self, deadline: deadline).ask(seeds)
    }
}

/// One round of questions to the publishers of a cluster.
private struct PublisherPoll: Sendable {
    let cluster: CacheCluster
    let deadline: Instant

    func ask(_ seeds: Set<String>) async -> ClusterPublishers? {
        guard let places = await places(seeds) else { return nil }
        let answers = await withTaskGroup(
            of: (place: ClusterPublishers.Place, status: Result<StatusSnapshot, CacheError>).self
        ) { group in
            for place in places {
                group.addTask { (place, await status(at: place.endpoint)) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        return ClusterPublishers(answers)
    }

    /// What the first publisher tells that answers: one of `seeds`, or the one that leads once it
    /// is found. `nil` if none does.
    private func places(_ seeds: Set<String>) async -> [ClusterPublishers.Place]? {
        await withTaskGroup(of: Result<StatusSnapshot, CacheError>.self) { group in
            for seed in seeds { group.addTask { await status(at: seed) } }
            // The topology may name one that is gone, and all others be nodes.
            group.addTask {
                await Result.awaiting { () async throws(CacheError) in
                    try await cluster.publisherStatus(
                        timeout: deadline.elapsed(since: MonotonicClock.now))
                }
            }
            for await answer in group {
                let places = answer.value.map(ClusterPublishers.places) ?? []
                guard places.isEmpty else {
                    group.cancelAll()
                    return places
                }
            }
            return nil
        }
    }

    private func status(at endpoint: String) async -> Result<StatusSnapshot, CacheError> {
        await Result.awaiting { () async throws(CacheError) in
            try await cluster.status(at: .endpoint(endpoint), deadline: deadline)
        }
    }
}
