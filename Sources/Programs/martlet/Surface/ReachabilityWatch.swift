import CommandSurface
import MartletClient
import Threading
import ZeroMQ

/// Finds out why a cluster does not answer while a command waits for it, and ends the wait: at once
/// if no endpoint accepts a connection, else with the command's timeout.
///
///     100 ms without a topology ─▶ ConnectProbe at each endpoint ── all refuse ──▶ ends now
///                                        │ one takes connections
///                                        ▼
///                                  HandshakeProbe ──▶ why ── timeout ──▶ ends
///
/// A cluster that answers is not probed.
final class ReachabilityWatch: Sendable {
    /// How long a cluster may take before its endpoints are probed.
    private static let calmMax: Duration = .milliseconds(100)
    private static let handshakeMax: Duration = .seconds(1)
    /// What a handshake that is under way may take beyond the timeout: its outcome is the reason.
    private static let overtime: Duration = .milliseconds(250)
    private static let step: Duration = .milliseconds(5)
    /// Most endpoints that an error message gives a reason for.
    private static let toldMax = 3

    private struct Finding {
        var connection: ConnectOutcome?
        var handshake: HandshakeOutcome?
    }

    private let named: [String]
    private let kept: [String]
    private let keys: ClientKeys?
    private let client: CacheClient
    private let end: ContinuousClock.Instant
    private let findings = Guarded<[String: Finding]>([:])
    private let ending = Guarded<CommandFailure?>(nil)
    private let tasks = Guarded<[Task<Void, Never>]>([])
    private let lookCount = Guarded(0)

    /// - Parameters:
    ///   - kept: endpoints of an earlier time, which the client tries, too.
    ///   - patience: how long the cluster may take.
    init(
        _ named: [String], kept: [String], keys: ClientKeys?, client: CacheClient,
        patience: Duration
    ) {
        (self.named, self.kept, self.keys, self.client) = (named, kept, keys, client)
        end = .now + patience
    }

    /// Why the command fails that has ended: the cluster has told nothing until the timeout, or
    /// its endpoints cannot be connected to. `nil` where that is not so.
    func verdict() async -> CommandFailure? {
        // The cluster may have answered in the last moment, and have been told of a change.
        guard !client.hasAnswer else { return nil }
        if let failure = ending.withLock({ $0 }) { return failure }
        let hasBegun = !tasks.withLock { $0.isEmpty }
        guard hasBegun, .now + Self.overtime >= end else { return nil }
        while lookCount.withLock({ $0 }) > 0, .now < end + Self.overtime,
            await Task.slept(for: Self.step)
        {}
        conclude()
        return ending.withLock { $0 }
    }

    /// The reason why the publisher or node of an error cannot be connected to, if the cluster
    /// itself has answered; `nil` if there is none.
    func remark(on error: CacheError) async -> String? {
        guard error.code == .disconnected, let topology = client.knownTopology else { return nil }
        let node = topology.nodes.first { error.message.contains("node \($0.id) ") }
        let isPublisher = error.message.contains("the publisher ")
        let text = isPublisher ? topology.controlEndpoint : node?.endpoints.first
        let left = min(Self.overtime, end + Self.overtime - .now)
        guard let text, let endpoint = Self.endpoint(text), left > .zero else { return nil }
        let connection = await blocking("door") {
            ConnectProbe.knock(at: endpoint, patience: left)
        }
        return Self.reason(text, Finding(connection: connection), keys)
    }

    func begin() {
        let watch = Task {
            let calm = min(Self.calmMax, (end - .now) / 5)
            guard await Task.slept(for: calm) else { return }
            if !client.hasAnswer { lookEverywhere() }
            guard await Task.slept(for: end + Self.overtime - .now) else { return }
            conclude()
        }
        tasks.withLock { $0.append(watch) }
    }

    func stop() {
        for task in tasks.withLock({ $0 }) { task.cancel() }
    }

    /// Connects to each endpoint, before a command that finds its cluster by itself.
    ///
    /// - Throws: ``CommandFailure`` if none of them can be connected to.
    static func check(_ endpoints: [String], patience: Duration) async throws {
        var findings: [String: Finding] = [:]
        await withTaskGroup(of: (String, ConnectOutcome?).self) { group in
            for text in endpoints {
                group.addTask {
                    guard let endpoint = Self.endpoint(text) else { return (text, nil) }
                    let outcome = await blocking("door") {
                        ConnectProbe.knock(at: endpoint, patience: patience)
                    }
                    return (text, outcome)
                }
            }
            for await (text, outcome) in group { findings[text] = Finding(connection: outcome) }
        }
        guard findings.values.allSatisfy({ $0.connection?.isFinal == true }) else { return }
        throw CommandFailure(.unreachable, sentence(endpoints, findings, nil))
    }

    private func lookEverywhere() {
        let places = Set(named + kept)
        lookCount.withLock { $0 = places.count }
        for text in places {
            let looking = Task { await look(at: text) }
            tasks.withLock { $0.append(looking) }
        }
    }

    private func look(at text: String) async {
        defer { lookCount.withLock { $0 -= 1 } }
        guard let endpoint = Self.endpoint(text) else { return }
        let left = max(.zero, end - .now)
        let connection = await blocking("door") {
            ConnectProbe.knock(at: endpoint, patience: left)
        }
        findings.withLock { $0[text, default: Finding()].connection = connection }
        guard connection == .connected else {
            if isHopeless { conclude() }
            return
        }
        let patience = min(Self.handshakeMax, end - .now + Self.overtime / 2)
        guard patience > .zero, named.contains(text), !Task.isCancelled else { return }
        let guise = keys.map { HandshakeProbe.Guise.holder($0.pair) } ?? .plain
        let handshake = await blocking("door") { () -> HandshakeOutcome in
            do throws(ZeroMQError) {
                return try HandshakeProbe.knock(
                    at: endpoint, as: guise, patience: patience, in: Context())
            } catch {
                return .unanswered
            }
        }
        findings.withLock { $0[text, default: Finding()].handshake = handshake }
    }

    private static func endpoint(_ text: String) -> Endpoint? {
        do throws(EndpointError) {
            return try Endpoint(text, for: .connecting)
        } catch {
            return nil
        }
    }

    /// Whether no endpoint at all can be connected to.
    private var isHopeless: Bool {
        findings.withLock { findings in
            Set(named + kept).allSatisfy { findings[$0]?.connection?.isFinal == true }
        }
    }

    private func conclude() {
        guard !client.hasAnswer else { return }
        let sentence = Self.sentence(named, findings.withLock { $0 }, keys)
        ending.withLock { $0 = $0 ?? CommandFailure(.unreachable, sentence) }
        // Whatever the command waits for fails now. Not waited for: a name may be looked up.
        Task { await client.close() }
    }

    private static func sentence(
        _ named: [String], _ findings: [String: Finding], _ keys: ClientKeys?
    ) -> String {
        var reasons = named.prefix(toldMax).map { reason($0, findings[$0], keys) }
        if named.count > toldMax { reasons.append("and \(named.count - toldMax) more") }
        return EndpointKeys.shortened(
            "the cluster cannot be reached, and nothing was sent: "
                + reasons.joined(separator: ", ")
                + "; martlet up starts a cluster, --cluster takes any publisher or node")
    }

    private static func reason(
        _ endpoint: String, _ finding: Finding?, _ keys: ClientKeys?
    ) -> String {
        switch finding?.connection {
        case .refused: return "\(endpoint) refuses connections (nothing listens there)"
        case .unknownHost(let why): return "the host of \(endpoint) is not known (\(why))"
        case .impossible(let why): return "\(endpoint): \(why)"
        case .silent: return "\(endpoint) answers no attempt to connect"
        case nil: return "\(endpoint) did not answer in time"
        case .connected: break
        }
        guard let outcome = finding?.handshake else {
            return "\(endpoint) takes connections and does not answer"
        }
        if let remark = DoorReport.remark(endpoint, outcome, hasKey: keys != nil) {
            return "\(remark.what): \(remark.remedy)"
        }
        return outcome == .admitted
            ? "\(endpoint) is there and does not tell the topology; its log says why"
            : "\(endpoint) takes connections and does not answer "
                + "(stopped, overloaded, or no martlet)"
    }
}

/// Why no answer comes, where that can be seen from outside: an endpoint that is there and does not
/// let this client in says nothing, and looks to the client as if it were not there.
enum DoorReport {
    /// What a handshake says about an endpoint and a key, and what to do; `nil` if nothing is to
    /// be said.
    static func remark(
        _ endpoint: String, _ outcome: HandshakeOutcome, hasKey: Bool
    ) -> (what: String, remedy: String)? {
        switch (outcome, hasKey) {
        case (.refused, _):
            (
                "\(endpoint) answers and refuses your key",
                "the key is not in its list, or past its date there"
            )
        case (.brokenOff, true):
            (
                "a process listens at \(endpoint), but does not hold that key, or uses no keys",
                "check that the endpoint is copied whole, and from that process"
            )
        case (.brokenOff, false):
            (
                "\(endpoint) answers and authenticates its clients",
                "use its endpoint with ?key= and its digits, and give --key"
            )
        case (.admitted, _), (.unanswered, _): nil
        }
    }
}
