import ByteCoding
import CacheLoading
import CacheModel
import CacheNodeCore
import CacheWire

/// A shard whose default namespace has an origin, and the origin in the test's hands.
extension ShardHarness {
    static func policy(
        _ change: (inout NamespacePolicy, inout OriginPolicy) -> Void = { _, _ in }
    ) -> NamespacePolicy {
        var policy = NamespacePolicy()
        policy.timeToLive = .seconds(60)
        policy.suspect = .revalidate
        var origin = OriginPolicy(url: "http://origin/{key}")
        change(&policy, &origin)
        policy.origin = origin
        return policy
    }

    mutating func readThrough(
        _ change: (inout NamespacePolicy, inout OriginPolicy) -> Void = { _, _ in }
    ) {
        core.configure([.default: Self.policy(change)], fallback: NamespacePolicy())
    }

    /// The loads that were ordered since the last call.
    mutating func takeLoads() -> [ShardLoad] {
        var loads: [ShardLoad] = []
        for case .load(let load) in effects { loads.append(load) }
        effects.removeAll {
            switch $0 {
            case .load, .hasten: true
            default: false
            }
        }
        return loads
    }

    /// The loads that somebody waits for since, of those that nobody waited for.
    var hastened: [UInt64] {
        var numbers: [UInt64] = []
        for case .hasten(let number) in effects { numbers.append(number) }
        return numbers
    }

    /// Asks for a key that has to be loaded.
    ///
    /// - Returns: the load that it began; `nil` if it shares one.
    mutating func ask(
        _ key: String, _ options: GetOperation.Options = [],
        _ shape: RequestShape = RequestShape()
    ) -> ShardLoad? {
        let answers = send(getFrame([key], options, shape))
        precondition(answers.isEmpty, "a reader waits for its load: \(answers)")
        let loads = takeLoads()
        precondition(loads.count <= 1)
        return loads.first
    }

    /// Asks for a key that is to be loaded whatever is there.
    mutating func askAnew(_ key: String) -> ShardLoad? {
        var writer = ByteWriter()
        var message = MessageWriter(.get, requestID: 9_999, into: &writer)
        message.field(ReadPolicy.networkOnly, into: &writer)
        Array(key.utf8).withUnsafeBytes { GetOperation.append(key: $0, options: [], to: &writer) }
        message.finish(&writer, count: 1)
        let answers = send(writer.array)
        precondition(answers.isEmpty, "a reader waits for its load: \(answers)")
        return takeLoads().first
    }

    /// A load ends, and whoever can be answered then is.
    mutating func end(_ load: ShardLoad?, _ outcome: LoadOutcome) -> [Outcome] {
        guard let load else { preconditionFailure("there is a load to end") }
        core.loadEnded(load.number, outcome, now: now, effects: &effects)
        return finishedOutcomes()
    }

    /// What those who waited are answered by now.
    mutating func finishedOutcomes() -> [Outcome] {
        var outcomes: [Outcome] = []
        for case .results(_, let some) in finishWaiting() { outcomes += some }
        return outcomes
    }
}

extension LoadOutcome {
    static func text(_ value: String, _ change: (inout LoadedFacts) -> Void = { _ in }) -> Self {
        var facts = LoadedFacts()
        change(&facts)
        return .value(Array(value.utf8), facts)
    }

    static func none(for lifetime: Duration? = nil) -> Self {
        var facts = LoadedFacts()
        facts.lifetime = lifetime
        return .absent(facts)
    }

    static func error(_ failure: LoadFailure) -> Self { .failed(failure, retryAfter: nil) }
}
