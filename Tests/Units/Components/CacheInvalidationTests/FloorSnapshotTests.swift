import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire
import Testing
import TestSupport

/// Scopes of a small world, so that they meet often.
private struct ScopeDice {
    var generator: SeededGenerator
    private static let rooms = [Namespace.default] + ["a", "b"].compactMap { Namespace($0) }

    mutating func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

    mutating func name(longest: Int = 4) -> [UInt8] {
        (0...number(longest)).map { _ in UInt8(ascii: "p") + UInt8(number(3)) }
    }

    mutating func room() -> Namespace { Self.rooms[number(Self.rooms.count)] }

    mutating func target() throws -> Scope.Target {
        switch number(40) {
        case 0..<20: .key(try #require(CacheKey(bytes: name())), in: room())
        case 20..<34: .tag(try #require(Tag(bytes: name())), in: room())
        case 34..<38: .prefix(name(longest: 300), in: room())
        case 38: .namespace(room())
        default: number(10) == 0 ? .everything : .namespace(room())
        }
    }
}

/// Every scope's newest record, and nothing shared.
private struct NaiveFloors {
    var newest: [Scope.Target: SequenceNumber] = [:]

    func floor(ofKey key: CacheKey, in room: Namespace) -> SequenceNumber {
        newest.reduce(.none) { floor, entry in
            let covers =
                switch entry.key {
                case .key(let name, let its): name == key && its == room
                case .prefix(let bytes, let its): its == room && key.bytes.starts(with: bytes)
                case .namespace(let its): its == room
                case .everything: true
                case .tag: false
                }
            return covers ? max(floor, entry.value) : floor
        }
    }
}

@Suite struct FloorSnapshotTests {
    /// `count` random records after `mark`.
    private func records(
        _ count: Int, after start: LogMark, _ dice: inout ScopeDice
    ) throws -> [SealedRecord] {
        var mark = start
        return try (0..<count).map { _ in
            let scopes = try (0...dice.number(3)).map { _ in Scope(try dice.target()) }
            let sealed = try SealedRecord(
                sealing: InvalidationRecord(
                    position: mark.position.next, previousDigest: mark.digest, operation: .none,
                    strength: dice.number(2) == 0 ? .hard : .soft, scopes: scopes))
            mark = sealed.mark
            return sealed
        }
    }

    private func noted(_ records: [SealedRecord], after mark: LogMark) -> FloorSnapshot {
        var snapshot = FloorSnapshot(of: Chain.log, at: mark, isCertain: true)
        for record in records { snapshot.note(record) }
        return snapshot
    }

    private func naive(_ records: [SealedRecord]) -> NaiveFloors {
        records.reduce(into: NaiveFloors()) { floors, sealed in
            for scope in sealed.record.scopes {
                floors.newest[scope.target] = sealed.position.sequence
            }
        }
    }

    /// What was touched is never told untouched since; in a small world nothing else is touched.
    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func aTouchedScopeIsNeverToldUntouched(seed: UInt64) throws {
        var dice = ScopeDice(generator: SeededGenerator(seed: seed))
        let records = try records(400, after: Chain.start(), &dice)
        let snapshot = noted(records, after: Chain.start())
        let naive = naive(records)
        #expect(snapshot.asOf == records.last?.mark && snapshot.completeSince == .none)
        for target in naive.newest.keys {
            guard case .tag(let tag, let room) = target else { continue }
            #expect(snapshot.floor(ofTag: tag, in: room) == naive.newest[target])
        }
        for _ in 0..<400 {
            let (key, room) = (try #require(CacheKey(bytes: dice.name())), dice.room())
            #expect(snapshot.floor(ofKey: key, in: room) == naive.floor(ofKey: key, in: room))
        }
    }

    /// More prefixes and namespaces than are kept by name.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func whatFindsNoRoomHidesMoreAndNeverLess(seed: UInt64) throws {
        var dice = ScopeDice(generator: SeededGenerator(seed: seed))
        var names = FloorNames()
        var newest: [(FloorNames.Prefix, SequenceNumber)] = []
        for number in UInt64(1)...4_000 {
            let room = try #require(Namespace("room\(dice.number(8))"))
            let prefix = FloorNames.Prefix(
                namespace: room, bytes: (0...dice.number(200)).map { _ in UInt8(dice.number(4)) })
            names.raise(prefix, to: SequenceNumber(number))
            newest.append((prefix, SequenceNumber(number)))
            #expect(names.prefixes.count <= 512)
        }
        for (prefix, sequence) in newest {
            #expect(names.floor(ofKey: prefix.bytes, in: prefix.namespace) >= sequence)
            #expect(
                names.floor(ofKey: prefix.bytes + [9, 9], in: prefix.namespace) >= sequence)
        }
        #expect(names.everything == .none)
        for number in UInt64(0)..<600 {
            names.raise(try #require(Namespace("n\(number)")), to: SequenceNumber(number + 1))
        }
        #expect(names.namespaces.count <= 512 && names.everything >= SequenceNumber(512))
        for number in UInt64(0)..<600 {
            let room = try #require(Namespace("n\(number)"))
            #expect(names.floor(ofKey: [1], in: room) >= SequenceNumber(number + 1))
        }
    }

    /// A node that asks part by part holds what the publisher has above its mark.
    @Test(arguments: [0, 150, 399, 400])
    func allPartsTogetherTellWhatIsAboveAFloor(floor: Int) throws {
        var dice = ScopeDice(generator: SeededGenerator(seed: 7))
        let records = try records(400, after: Chain.start(), &dice)
        let snapshot = noted(records, after: Chain.start())
        let above = SequenceNumber(UInt64(floor))
        var copy = FloorSnapshot(of: Chain.log, at: snapshot.asOf, isCertain: true)
        var bucket = 0
        while bucket < FloorBuckets.count {
            let part = snapshot.part(from: bucket, above: above)
            #expect(part.first == bucket && part.next > bucket)
            #expect(part.entries.allSatisfy { $0.sequence > above && $0.bucket < part.next })
            copy.raise(part)
            bucket = part.next
        }
        for (target, sequence) in naive(records).newest where sequence > above {
            switch target {
            case .key(let key, let room):
                #expect(copy.floor(ofKey: key, in: room) == snapshot.floor(ofKey: key, in: room))
            case .tag(let tag, let room):
                #expect(copy.floor(ofTag: tag, in: room) == sequence)
            default: continue
            }
        }
        if floor == 400 { #expect(copy.part(from: 0, above: .none).entries.isEmpty) }
    }

    /// One message is bounded, and so is the work for it.
    @Test func aPartIsBounded() throws {
        var snapshot = FloorSnapshot(of: Chain.log, at: Chain.start(), isCertain: true)
        let dense = (0..<100_000).map { FloorEntry(bucket: $0, sequence: SequenceNumber(9)) }
        snapshot.raise(FloorPart(first: 0, next: 100_000, names: FloorNames(), entries: dense))
        let part = snapshot.part(from: 0, above: .none)
        #expect(part.entries.count == InvalidationLimits.floorPartEntriesMax)
        #expect(part.next == InvalidationLimits.floorPartEntriesMax)
        // Pages without anything above are passed over at once.
        let rest = snapshot.part(from: 0, above: SequenceNumber(9))
        #expect(rest.entries.isEmpty && rest.next == FloorBuckets.count)
        // One high bucket in each page makes all of them worth a look.
        for page in 0..<4_096 {
            let high = FloorEntry(bucket: page * 1_024, sequence: SequenceNumber(10))
            snapshot.raise(
                FloorPart(first: 0, next: FloorBuckets.count, names: FloorNames(), entries: [high]))
        }
        var parts: [FloorPart] = []
        while parts.last?.next != FloorBuckets.count {
            parts.append(snapshot.part(from: parts.last?.next ?? 0, above: SequenceNumber(9)))
            let looked = parts.last.map { $0.next - $0.first } ?? 0
            #expect(looked <= InvalidationLimits.floorPartLookedMax + 1_024)
        }
        #expect(parts.count == 16)
        #expect(parts.reduce(0) { $0 + $1.entries.count } == 4_096)
    }

    /// What was read from a file and what was heard since become one.
    @Test func twoThatMeetBecomeOne() throws {
        var dice = ScopeDice(generator: SeededGenerator(seed: 3))
        let records = try records(300, after: Chain.start(), &dice)
        let whole = noted(records, after: Chain.start())
        for (end, start) in [(200, 200), (250, 150), (300, 0), (0, 0)] {
            var earlier = noted(Array(records[..<end]), after: Chain.start())
            let mark = start == 0 ? Chain.start() : records[start - 1].mark
            earlier.absorb(noted(Array(records[start...]), after: mark))
            #expect(earlier == whole)
        }
    }

    /// A copy stays what it was while the other goes on.
    @Test func aCopyDoesNotChange() throws {
        var dice = ScopeDice(generator: SeededGenerator(seed: 5))
        let records = try records(200, after: Chain.start(), &dice)
        var snapshot = noted(Array(records[..<100]), after: Chain.start())
        let copy = snapshot
        for record in records[100...] { snapshot.note(record) }
        #expect(copy == noted(Array(records[..<100]), after: Chain.start()))
        #expect(copy != snapshot)
    }

    @Test func whatNeedsNoNameNeedsNoMemory() {
        let snapshot = FloorSnapshot(of: Chain.log, at: Chain.start(), isCertain: true)
        #expect(snapshot.part(from: 0, above: .none).entries.isEmpty)
        #expect(MemoryLayout<FloorSnapshot>.size < 256)
    }
}
