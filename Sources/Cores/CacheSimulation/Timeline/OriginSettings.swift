import CacheModel

/// How the nodes of one seed load values themselves. Drawn from a separate generator, so that a
/// seed without origins has the same course as a simulation without this feature.
struct OriginSettings {
    /// The namespaces of the catalog.
    let namespaces: [Namespace]
    let policy: OriginPolicy
    let timeToLive: Duration?
    let timeToLiveJitter: Percent
    /// `nil`: by the policy of the namespace.
    let suspect: NamespacePolicy.Suspect?
    /// How long nodes then serve before they ask the origin.
    let suspectWindow: Duration
    /// The duration of an answer without a fault.
    let microseconds: ClosedRange<Int>
    /// How many of a thousand requests fail at random.
    let faultyPerMille: Int
    /// How often the origin has a lasting fault, and for how long; `nil`: never.
    let faultEveryMicroseconds: ClosedRange<Int>?
    let faultLastsMicroseconds: ClosedRange<Int>
    /// How many of a thousand values are absent.
    let absentPerMille: Int
    let trouble: Span
    let readEveryMicroseconds: Int

    /// How many of a thousand seeds have an origin.
    private static let perMille = 400

    /// - Returns: `nil` for a seed in which applications fill all caches.
    init?(_ dice: inout Dice) {
        guard dice.chance(perMille: Self.perMille) else { return nil }
        namespaces = dice.pick([Catalog.namespaces, [Catalog.namespaces[0]]])
        timeToLive = dice.pick([.milliseconds(100), .milliseconds(300), .milliseconds(800), nil])
        timeToLiveJitter = dice.pick([.none, Percent(20) ?? .none])
        suspect = dice.pick([.serveThenRevalidate, .revalidate, nil])
        microseconds = 100...dice.pick([5_000, 60_000, 400_000])
        faultyPerMille = dice.pick([0, 30, 150])
        faultEveryMicroseconds =
            dice.chance(perMille: 600) ? 50_000...dice.pick([300_000, 900_000]) : nil
        faultLastsMicroseconds = 5_000...dice.pick([60_000, 500_000])
        absentPerMille = dice.pick([0, 150, 400])
        trouble = .milliseconds(dice.number(in: 1_200...3_000))
        readEveryMicroseconds = dice.pick([2_000, 5_000])
        policy = Self.policy(&dice)
        suspectWindow = .milliseconds(dice.pick([0, 100, 400]))
    }

    private static func policy(_ dice: inout Dice) -> OriginPolicy {
        var policy = OriginPolicy(url: "http://origin/{key}")
        policy.read = dice.pick(
            [.cacheFirst, .cacheFirst, .cacheFirst, .networkFirst, .staleWhileRevalidate])
        policy.lifetimeSource = dice.pick([.answer, .namespace])
        policy.staleWhileRevalidate = .milliseconds(dice.pick([0, 0, 200, 600]))
        policy.staleIfError = .milliseconds(dice.pick([0, 300, 1_500]))
        policy.negativeTimeToLive = .milliseconds(dice.pick([100, 500]))
        policy.softTimeout = dice.pick([nil, .milliseconds(20), .milliseconds(80)])
        policy.timeout = .milliseconds(dice.pick([150, 600, 2_000]))
        policy.concurrencyMax = dice.pick([1, 4, 64])
        policy.queueMax = dice.pick([2, 64])
        policy.retriesMax = dice.pick([0, 2])
        policy.breakerPause = .milliseconds(dice.pick([100, 400]))
        policy.refreshShare = dice.pick([.none, Percent(30) ?? .none])
        if dice.chance(perMille: 300) { policy.versionField = Self.versionField }
        return policy
    }

    static let versionField = "X-Version"

    /// The policies of a world, with the origin in its namespaces.
    func policies(
        over fallback: NamespacePolicy, _ listed: [Namespace: NamespacePolicy]
    ) -> [Namespace: NamespacePolicy] {
        var policies = listed
        for namespace in namespaces {
            var own = listed[namespace] ?? fallback
            own.timeToLive = timeToLive
            own.timeToLiveJitter = timeToLiveJitter
            own.suspect = suspect ?? own.suspect
            own.suspectWindow = suspectWindow
            own.origin = policy
            policies[namespace] = own
        }
        return policies
    }

    /// Whether a key has no value after one of its changes. The first keys always have one, so that
    /// every shard can be examined.
    func isAbsent(_ item: Int, _ content: Version) -> Bool {
        guard item >= 2 else { return false }
        var dice = Dice(seed: UInt64(item) << 32 ^ content.rawValue)
        return dice.chance(perMille: absentPerMille)
    }

    /// The tags of a value: they change with it.
    static func tags(of item: Int, _ content: Version) -> UInt64 {
        var dice = Dice(seed: UInt64(item) << 40 ^ content.rawValue)
        return UInt64(dice.below(1 << Catalog.tags.count))
    }

    /// For a report.
    var text: String {
        """
        nodes load \(namespaces.map(\.name)) by \(policy.read), lifetimes by \
        \(policy.lifetimeSource) of \(timeToLive.map { "\($0)" } ?? "no end"), windows \
        \(policy.staleWhileRevalidate) and \(policy.staleIfError), none for \
        \(policy.negativeTimeToLive), timeouts \(policy.softTimeout.map { "\($0)" } ?? "none") and \
        \(policy.timeout), \(policy.concurrencyMax) at a time, \(policy.queueMax) waiting, \
        \(policy.retriesMax) retries, pause \(policy.breakerPause), early \
        \(policy.refreshShare.hundredths) %, answers \(microseconds) µs, \(faultyPerMille) ‰ \
        wrong, trouble every \(faultEveryMicroseconds.map { "\($0) µs" } ?? "never"), \
        \(absentPerMille) ‰ absent, \(suspect.map { "\($0)" } ?? "as elsewhere") while suspect, \
        served for \(suspectWindow)
        """
    }
}
