import CacheHTTP
import CacheModel
import GatewayCore
import Testing
import TestSupport

/// A publisher's log, a node that obeys it late, a gateway that hears it late, and readers and
/// writers in between, by chance. A value is the number of records that cover its key so far.
@Suite struct NearModelTests {
    private struct World {
        private(set) var log: [Scope?] = []
        /// By name, how many of the first records cover it: of none of them, of one, of two.
        private var covering = Dictionary(
            uniqueKeysWithValues: NearModelTests.names.map { ($0, [0]) })
        var nodeApplied = 0
        var heard = 0
        var cache = NearCache(bytesMax: 1 << 20, ageMax: .seconds(60))
        var reads: [(name: String, ticket: NearTicket, answer: FoundValue?)] = []
        /// Of changes made through the gateway: the record, and the name; done once answered.
        var changes: [(name: String, position: Int)] = []
        /// What readers through this gateway must see at least, by name.
        var owed: [String: Int] = [:]
        var hits = 0

        init() { cache.follows(after: Near.position(0)) }

        /// Records up to a place that cover the name.
        func count(_ name: String, upTo place: Int) -> Int {
            covering[name, default: []][place]
        }

        /// Appends a record; `nil` covers everything.
        mutating func append(_ scope: Scope?) {
            log.append(scope)
            for name in NearModelTests.names {
                let count = count(name, upTo: log.count - 1)
                let isCovered = scope == nil || scope == Near.scope(name)
                covering[name, default: []].append(isCovered ? count + 1 : count)
            }
        }

        func record(_ place: Int) -> InvalidationRecord {
            Near.record(UInt64(place), [log[place - 1] ?? Scope(.everything)])
        }
    }

    private static let names = ["a", "b", "c"]

    @Test(arguments: 0..<200)
    func noValueIsToldThatARecordBeforeItsPositionCovers(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        var world = World()
        for _ in 0..<2_000 { step(&world, &dice) }
        #expect(world.hits > 0)
    }

    private func step(_ world: inout World, _ dice: inout SeededGenerator) {
        let name = Self.names[dice.roll(Self.names.count)]
        switch dice.roll(12) {
        case 0: world.append(dice.roll(8) == 0 ? nil : Near.scope(name))
        case 1, 2: world.nodeApplied = min(world.nodeApplied + 1 + dice.roll(3), world.log.count)
        case 3, 4:
            guard world.heard < world.log.count else { return }
            world.heard += 1
            world.cache.heard(world.record(world.heard))
        case 5:
            let ticket = world.cache.ticket(for: Near.key(name), at: Near.at(0))
            world.reads.append((name, ticket, nil))
            // Nobody waits for ever.
            if world.reads.count > 4 { world.reads.removeFirst() }
        case 6, 7: answer(&world, &dice)
        case 8: if dice.roll(3) == 0 { change(name, &world) }
        case 9: finish(&world, &dice)
        default: look(name, &world)
        }
    }

    /// The node answers a read, or its answer arrives.
    private func answer(_ world: inout World, _ dice: inout SeededGenerator) {
        guard !world.reads.isEmpty else { return }
        let index = dice.roll(world.reads.count)
        let (name, ticket, answer) = world.reads[index]
        guard let answer else {
            let count = world.count(name, upTo: world.nodeApplied)
            world.reads[index].answer = Near.value(
                withUnsafeBytes(of: count) { [UInt8]($0) }, at: UInt64(world.nodeApplied))
            return
        }
        world.reads.remove(at: index)
        world.cache.keep(answer, for: Near.key(name), since: ticket, at: Near.at(0))
    }

    /// Somebody invalidates through the gateway.
    private func change(_ name: String, _ world: inout World) {
        world.cache.forget([Near.scope(name)])
        world.append(Near.scope(name))
        world.changes.append((name, world.log.count))
    }

    /// The receipt of a change arrives: the node has obeyed it.
    private func finish(_ world: inout World, _ dice: inout SeededGenerator) {
        guard !world.changes.isEmpty else { return }
        let (name, position) = world.changes.remove(at: dice.roll(world.changes.count))
        world.nodeApplied = max(world.nodeApplied, position)
        world.cache.forget([Near.scope(name)])
        world.owed[name] = max(world.owed[name] ?? 0, world.count(name, upTo: position))
    }

    private func look(_ name: String, _ world: inout World) {
        guard let found = world.cache.value(for: Near.key(name), ReadTerms(), at: Near.at(0))
        else { return }
        world.hits += 1
        let count = found.bytes.withUnsafeBytes { $0.loadUnaligned(as: Int.self) }
        let place = Int(found.position.sequence.rawValue)
        let (covering, owed) = (world.count(name, upTo: place), world.owed[name] ?? 0)
        // Cheaper than to expect each by itself, in a test that looks so often.
        if place >= world.heard && count >= covering && count >= owed { return }
        #expect(place >= world.heard)
        #expect(count >= covering)
        #expect(count >= owed, "who changed it here reads the change")
    }
}

extension SeededGenerator {
    fileprivate mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &self) }
}
