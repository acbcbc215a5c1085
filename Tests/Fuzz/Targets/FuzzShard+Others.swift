import CacheDisk
import CacheLoading
import CacheModel
import CacheNodeCore

/// The disk and the origin of a shard.
extension FuzzShard {
    private static let geometry: DiskGeometry = {
        let geometry = DiskGeometry(
            checkpointBytes: 16 << 10, tailBytes: 4_096 + 8 * (4 << 10),
            segmentBytes: 16 << 10, segmentCount: 4)
        guard let geometry else { fatalError("a file can have these sizes") }
        return geometry
    }()

    mutating func attachDisk() {
        let machine = TierMachineFacts(
            boot: BootID(high: 1, low: 2), calendar: 1_000_000, file: 5, birth: 6)
        let owner = TierOwner(
            node: .some, shard: 0, of: 1, machine: machine, geometry: Self.geometry)
        let made = FuzzFile(Self.geometry)
        file = made
        core.attachDisk(
            OpenedDisk(
                Superblock(for: owner, tier: 0xABCD, incarnation: 77), tail: made.tail,
                clock: TierClock(startingAt: Instant(nanoseconds: 0)), writtenBy: nil),
            now: now)
        settleDisk()
        core.resume(at: core.applied, now: now)
    }

    private mutating func takeCommands() {
        var taken: [DiskCommand] = []
        core.takeDiskCommands(into: &taken)
        commands += taken
        _ = core.takeDiskNotices()
    }

    /// Carries out the oldest command, or another one if reads overtake writes.
    private mutating func step(at index: Int = 0) -> Bool {
        takeCommands()
        guard let file, index < commands.count else { return false }
        let command = commands.remove(at: index)
        core.diskCompleted([file.carryOut(command)], now: now)
        takeCommands()
        return true
    }

    mutating func settleDisk() {
        var rounds = 0
        repeat {
            while step() {}
            core.tick(now: now)
            takeCommands()
            rounds += 1
            check(rounds < 10_000, "a disk comes to rest")
        } while !commands.isEmpty
    }

    mutating func stepDisk(_ script: inout Script) {
        guard let file else { return }
        switch script.below(8) {
        case 0: file.writeFailure = script.isOdd() ? .noRoom : .device("Input/output error")
        case 1: file.writeFailure = nil
        case 2: file.readFailure = script.isOdd() ? .cut : nil
        case 3 where script.byte() == 0: core.diskWasLost(.cut, now: now)
        case 4: settleDisk()
        default: _ = step(at: firstRead(if: script.isOdd()))
        }
    }

    private func firstRead(if overtakes: Bool) -> Int {
        guard overtakes else { return 0 }
        let read = commands.firstIndex { if case .read = $0 { true } else { false } }
        return read ?? 0
    }

    // MARK: The origin

    mutating func endLoad(_ script: inout Script) {
        guard !loads.isEmpty else { return }
        let load = loads.remove(at: script.below(min(loads.count, 256)))
        core.loadEnded(load.number, outcome(of: load, &script), now: now, effects: &effects)
        core.finishWaiting(now: now, into: &replies, effects: &effects)
    }

    private func outcome(of load: ShardLoad, _ script: inout Script) -> LoadOutcome {
        let manner = script.byte()
        guard manner & 0xC0 != 0xC0 else {
            let failures = LoadFailure.allCases
            let failure = failures[Int(manner & 0x3F) % failures.count]
            return .failed(failure, retryAfter: script.isOdd() ? script.duration() : nil)
        }
        var facts = LoadedFacts()
        if manner & 1 == 1 { facts.lifetime = script.duration() }
        if manner & 2 == 2 { facts.age = script.duration() }
        if manner & 4 == 4 {
            facts.tags = Array(Set((0...script.below(3)).map { _ in script.tag() }))
        }
        if manner & 8 == 8 { facts.version = Version(script.wild()) }
        if manner & 16 == 16 { facts.mayStore = script.isOdd() }
        if manner & 32 == 32 { facts.fill = script.isOdd() ? log.head.position : script.position() }
        if manner & 3 == 3 {
            facts.representation.contentType = RepresentationField("a/\(manner)")
        }
        facts.validator = script.isOdd() ? Validator("\"\(script.byte() % 3)\"") : nil
        if script.isOdd() { facts.staleIfError = script.duration() }
        switch script.below(4) {
        case 0: return .absent(facts)
        case 1 where load.request.validator != nil:
            facts.validator = load.request.validator
            return .unchanged(facts)
        default: return .value([UInt8](repeating: manner, count: Int(script.byte()) * 4), facts)
        }
    }

    mutating func endWrite(_ script: inout Script) {
        guard !writes.isEmpty else { return }
        let order = writes.remove(at: script.below(min(writes.count, 256)))
        let answer: WriteAnswer =
            switch script.below(5) {
            case 0:
                .taken(
                    log.append([Scope(.key(order.write.key, in: order.write.namespace))], .hard)
                        .position)
            case 1: .queued
            case 2: .refused(WriteRejection(status: script.word(), words: script.run()))
            case 3: .full
            default: .unusable
            }
        core.writeEnded(order.ticket.number, answer)
        if core.applied.position < log.head.position, let newest = log.records.last {
            core.apply([newest], isAwaited: true, now: now, effects: &effects)
        }
        core.finishWaiting(now: now, into: &replies, effects: &effects)
    }
}
