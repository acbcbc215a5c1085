import CacheModel
import CacheWorkload

/// The settings of one thread for one phase.
struct DriverSetup {
    let phase: WorkloadPhase
    let share: ThreadShare
    let target: DriverTarget
    let seed: UInt64
    /// Invalidations beside the load for each second, all threads together.
    var invalidationsPerSecond: Int?
    /// How many keys the thread has inserted in earlier phases.
    var insertedCount = 0
    var oracle: ThreadOracle?

    /// Keys in flight, this thread's share.
    private var onTheirWayMax: Int { max(1, share.part(of: phase.inFlightMax)) }

    /// Keys in flight, and in messages that are being filled.
    var openMax: Int { onTheirWayMax + draftMax * phase.batch }

    /// Messages in flight or being filled. A closed loop fills its messages; a due request of an
    /// open loop is sent at once, even alone.
    private var window: Int {
        (onTheirWayMax + messageKeys - 1) / messageKeys + draftMax
    }

    private var messageKeys: Int { fillsMessages ? phase.batch : 1 }

    private var fillsMessages: Bool {
        guard case .closed = phase.loop else { return false }
        return phase.batch > 1
    }

    /// Most messages that are being filled at once: one for each kind and each connection to a
    /// shard. They are not in flight, and must not use the capacity for messages in flight: with 64
    /// keys in a message and one message in flight, none would ever be full.
    private var draftMax: Int {
        guard fillsMessages else { return 0 }
        return target.shardCount * connectionCount * messageKindCount
    }

    private var messageKindCount: Int {
        let mix = phase.effectiveMix
        let reads = fillsMisses || [.get, .scan, .readModifyWrite].contains(where: mix.contains)
        let stores =
            fillsMisses || [.set, .insert, .readModifyWrite].contains(where: mix.contains)
        return (reads ? 1 : 0) + (stores ? 1 : 0) + (mix.contains(.delete) ? 1 : 0)
    }

    private var connectionCount: Int { max(1, share.part(of: phase.connectionCount)) }

    var stream: RequestStream {
        RequestStream(phase, part: share.keys, seed: seed, insertedCount: insertedCount)
    }

    /// Whether a phase that fills looks every key up and stores the misses, with their tokens. It
    /// always does under `--verify`, and at a single replica, because a plain store makes the other
    /// replicas drop the key.
    var looksInsteadOfStoring: Bool { phase.isFill && (phase.verifies || target.node != nil) }

    private var fillsMisses: Bool { phase.verifies || looksInsteadOfStoring }

    /// Whether the keys of one scan share a message although other operations do not.
    var sendsScansTogether: Bool { phase.batch == 1 && phase.effectiveMix.contains(.scan) }

    private var invalidates: Bool {
        phase.verifies || phase.effectiveMix.contains(.invalidate) || invalidationsPerSecond != nil
    }

    /// The thread's connection settings.
    var shape: ConnectionShape {
        var shape = ConnectionShape(node: target.node)
        shape.batch = sendsScansTogether ? WorkloadLimits.scanKeysMax : phase.batch
        shape.window = min(65_536, fillsMisses ? 2 * window : window)
        shape.connections = connectionCount
        if invalidates {
            // A record has as many keys as any other message, not as many as fit.
            shape.invalidations = ConnectionShape.Invalidations(
                window: min(max(16, onTheirWayMax), 4_096),
                batch: min(phase.batch, LoadTestLimits.invalidationKeysMax))
        }
        return shape
    }

    /// The schedule of requests; `nil` for a closed loop.
    func backlog(_ start: UInt64) -> ArrivalBacklog? {
        guard case .open(let perSecond, let pattern) = phase.loop, !phase.isFill else { return nil }
        return backlog(perSecond, pattern, start)
    }

    /// The invalidations beside the load; a fill has none.
    func beside(_ start: UInt64) -> (backlog: ArrivalBacklog, stream: RequestStream)? {
        guard let perSecond = invalidationsPerSecond, !phase.isFill else { return nil }
        var other = phase
        other.mix = .only(.invalidate)
        let stream = RequestStream(
            other, part: share.keys, seed: seed ^ 0x1BD1_1BDA_A9FC_1A22)
        return (backlog(perSecond, .constant, start), stream)
    }

    private func backlog(
        _ perSecond: Int, _ pattern: ArrivalPattern, _ start: UInt64
    ) -> ArrivalBacklog {
        let schedule = ArrivalSchedule(
            perSecond: perSecond, pattern, share: share, seed: seed,
            start: Instant(nanoseconds: start))
        let waitingMax = ArrivalBacklog.waitingMax(
            perSecond: perSecond, threadCount: share.threadCount)
        return ArrivalBacklog(schedule, waitingMax: waitingMax)
    }

    /// The initial counters of the schedule.
    var schedule: ScheduleFigures? {
        guard case .open(let perSecond, _) = phase.loop, !phase.isFill else { return nil }
        var figures = ScheduleFigures()
        figures.ratePerSecond = Double(perSecond) / Double(share.threadCount)
        return figures
    }

    /// - Parameter startedAt: when the phase begins.
    func work(_ stop: StopSignal, startedAt: UInt64) -> DriverWork {
        var work = DriverWork(
            stop: stop, endsAt: .max,
            operationCount: phase.operationCount(of: share) ?? .max)
        if let duration = phase.duration, !phase.isFill {
            work.endsAt = startedAt + duration.wholeNanoseconds
        }
        work.flushesEachOperation = sendsScansTogether
        return work
    }
}

/// The nodes that one thread asks.
struct DriverTarget: Equatable, Sendable {
    /// Only this node; `nil` asks each key's owner.
    var node: NodeID?
    /// Shards to connect to.
    var shardCount = 1
    /// Whether it is our own echo.
    var isEcho = false
}
