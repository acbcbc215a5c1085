import CacheModel
import MartletClient
import ZeroMQ

/// A running cluster: whether its endpoints let this key in, and how its nodes are.
struct ClusterCheck: DoctorCheck {
    /// How a node answers STATUS.
    enum Answer: Hashable {
        case state(NodeState)
        case none(String)
    }

    let endpoints: [String]
    let keys: CurveKeyPair?
    private static let subject = "cluster"

    func findings() async -> [DoctorFinding] {
        let outcomes = endpoints.map { ($0, Self.knock(at: $0, keys)) }
        let doors = outcomes.map { endpoint, knocked in
            Self.judge(endpoint, knocked.outcome, knocked.connection, hasKey: keys != nil)
        }
        let open = outcomes.filter { $0.1.outcome == .admitted }.map(\.0)
        guard !open.isEmpty else { return doors }
        return doors + (await nodes(by: open))
    }

    private static func knock(
        at text: String, _ keys: CurveKeyPair?
    ) -> (outcome: HandshakeOutcome, connection: ConnectOutcome?) {
        do {
            let endpoint = try Endpoint(text, for: .connecting)
            let connection = ConnectProbe.knock(at: endpoint, patience: DoctorLimits.patience)
            guard !connection.isFinal else { return (.unanswered, connection) }
            let outcome = try HandshakeProbe.knock(
                at: endpoint, as: keys.map { .holder($0) } ?? .plain,
                patience: DoctorLimits.patience, in: Context())
            return (outcome, connection)
        } catch {
            return (.unanswered, nil)
        }
    }

    static func judge(
        _ endpoint: String, _ outcome: HandshakeOutcome, _ connection: ConnectOutcome? = nil,
        hasKey: Bool
    ) -> DoctorFinding {
        if let remark = DoorReport.remark(endpoint, outcome, hasKey: hasKey) {
            return .wrong(subject, remark.what, remedy: remark.remedy)
        }
        guard outcome == .admitted else {
            return .wrong(
                subject, "nothing answers at \(endpoint)\(reason(connection))",
                remedy: "check that it runs, and that no packet filter blocks it")
        }
        return .ok(subject, "\(endpoint) admits \(hasKey ? "this key" : "every client")")
    }

    private static func reason(_ connection: ConnectOutcome?) -> String {
        switch connection {
        case .refused: ": it refuses connections"
        case .unknownHost(let why): ": its host is not known (\(why))"
        case .impossible(let why): ": \(why)"
        case .connected: ": it takes connections and says nothing"
        case .silent, nil: ""
        }
    }

    private func nodes(by endpoints: [String]) async -> [DoctorFinding] {
        var configuration = CacheClientConfiguration(endpoints: endpoints)
        configuration.timeout = DoctorLimits.patience
        configuration.keys = keys.map { ClientKeys($0) }
        do throws(CacheError) {
            let client = try CacheClient(configuration)
            let findings = await Self.findings(of: client)
            await client.close()
            return findings
        } catch {
            return [Self.unasked(error)]
        }
    }

    private static func findings(of client: CacheClient) async -> [DoctorFinding] {
        do throws(CacheError) {
            let status = try await ClusterStatus.gathered(from: client)
            var findings: [DoctorFinding] = []
            if case .failure(let error) = status.publisher {
                guard error.code != .unauthorised else { return [unasked(error)] }
                findings.append(
                    .wrong(
                        "publisher", "it does not answer: \(error.message)",
                        remedy: "see its log"))
            } else {
                findings += judge(
                    "publisher", .ok("publisher", "it answers"), status.publisherTroubles)
            }
            return findings
                + status.nodes.flatMap { node in
                    let answer = judge(
                        node.node.name,
                        node.state.map { .state($0) } ?? .none(node.failure?.message ?? "nothing"))
                    return judge(node.node.name, answer, node.troubles)
                }
        } catch {
            return [unasked(error)]
        }
    }

    /// What cannot be done comes in place of what is well.
    static func judge(
        _ subject: String, _ answer: DoctorFinding, _ troubles: [String]
    ) -> [DoctorFinding] {
        guard !troubles.isEmpty else { return [answer] }
        return troubles.map {
            .wrong(subject, $0, remedy: "see its log, and martlet status")
        }
    }

    private static func unasked(_ error: CacheError) -> DoctorFinding {
        .warning(
            subject, "its nodes cannot be asked: \(error.message)",
            remedy: error.code == .unauthorised
                ? "use a key with the role metrics" : "see whether the publisher runs")
    }

    static func judge(_ node: String, _ answer: Answer) -> DoctorFinding {
        switch answer {
        case .state(.live): .ok(node, "live")
        case .state(let state):
            .warning(
                node, "it answers, and is \(state)", remedy: "martlet status says why, if it stays")
        case .none(let reason):
            .wrong(
                node, "it does not answer: \(reason)",
                remedy: "see whether it runs, and its log")
        }
    }
}
