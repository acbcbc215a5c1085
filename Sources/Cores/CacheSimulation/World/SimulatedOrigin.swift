import CacheModel

/// The origin behind clients and nodes: a database, replicas of it that lag, and every value that
/// was ever on its way from there to a store.
final class SimulatedOrigin: WorldPart {
    let timeline: Timeline
    private let chronicle: Chronicle
    var database = Database()
    var fills: [Fill] = []
    /// The present fault of the origin, and its number: the end of an earlier fault ends nothing.
    var fault: OriginFault?
    var faultCount = 0

    init(_ timeline: Timeline, _ chronicle: Chronicle) {
        (self.timeline, self.chronicle) = (timeline, chronicle)
    }

    /// The step of the last change that a read shows, of the state at a moment.
    func stepShown(at moment: WorldTime) -> Int {
        moment < now ? chronicle.lastStep(by: moment) : step
    }

    /// The database is read for a client's load; the answer arrives later.
    func originIsRead(_ number: Int) {
        var fill = fills[number]
        fill.readStep = step
        let shown = momentShown(to: fill.item)
        fill.sawStep = stepShown(at: shown)
        fill.content = database.version(of: fill.item, at: shown)
        if let renewable = fill.renewable, isCurrent(renewable, fill.content) {
            fill.isUnchanged = true
        } else {
            if dice.chance(perMille: 500) { fill.version = fill.content }
            fill.hasValidator = dice.chance(perMille: 500)
            fill.isQuoted = settings.origin != nil
            fill.tags = UInt64(dice.below(1 << Catalog.tags.count))
        }
        if shown < now { count(.laggingReads) }
        fills[number] = fill
        var span = dice.span(microseconds: settings.originMicroseconds)
        if shown < now, dice.chance(perMille: 300) {
            let lag = settings.replicaLag(of: Catalog.items[fill.item].namespace)
            span = .microseconds(dice.number(in: 100...Int(lag.nanoseconds / 500)))
        }
        timeline.add(.originAnswers(fill: number), at: now + span)
    }

    /// The time of the database state that is read: a replica lags up to its namespace's limit.
    func momentShown(to item: Int) -> WorldTime {
        let longest = settings.replicaLag(of: Catalog.items[item].namespace)
        guard longest > .zero, dice.chance(perMille: 600) else { return now }
        // The lag is in the time of the database's clock; other clocks must allow for it.
        let lag = UInt64(dice.number(in: 0...980)) * (longest.nanoseconds / 1_000)
        return WorldTime(nanoseconds: now.nanoseconds - min(lag, now.nanoseconds))
    }

    /// Whether the ETag or version of a miss is that of the database's value.
    func isCurrent(_ renewable: Renewable, _ content: Version) -> Bool {
        guard let fill = renewable.fill else { return renewable.version == content }
        return fills[fill].content == content && !fills[fill].isAbsent
    }
}

/// The present and former values of each key. A replica answers with a former state.
struct Database {
    private var commits: [[(time: WorldTime, version: Version)]]

    init() {
        commits = Catalog.items.map { _ in [(.beginning, Version(1))] }
    }

    /// The version that a key had at `time`.
    func version(of item: Int, at time: WorldTime) -> Version {
        commits[item].last { $0.time <= time }?.version ?? Version(1)
    }

    /// Gives a key a new value.
    mutating func commit(_ item: Int, at time: WorldTime) -> Version {
        let newest = commits[item].last?.version ?? Version(1)
        let version = Version(newest.rawValue + 1)
        commits[item].append((time, version))
        return version
    }
}

/// Faults of an origin, for one request or for a while.
enum OriginFault: CaseIterable {
    /// 500, 503 and 429; the latter two with a Retry-After.
    case failing
    case overloaded
    case crowded
    /// There is no connection, or it breaks.
    case unreachable
    /// It accepts the request and does not answer.
    case hanging
    /// It answers, but too late for most requests.
    case slow
    /// It refuses the request.
    case refusing
    /// Its answer does not match the request: a 304 to an unconditional request, an encoded body.
    case confused
    /// Its answers are longer than the namespace allows.
    case tooLong
}
