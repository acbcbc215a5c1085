import CacheModel
import Testing

/// The laws of order, held exhaustively over small ranges and at the ends of the great ones.
@Suite struct OrderTests {
    /// What must hold of three values of any ordered type, if `rank` says the right order.
    private static func holdsLaws<Value: Comparable>(
        _ values: [Value], rank: (Value) -> Int
    ) -> Bool {
        for a in values {
            for b in values {
                guard (a < b) == (rank(a) < rank(b)), (a == b) == (rank(a) == rank(b)),
                    [a < b, a == b, b < a].count(where: { $0 }) == 1
                else { return false }
                for c in values where a < b && b < c && !(a < c) { return false }
            }
        }
        return true
    }

    @Test func epochsFollowTheirNumbers() {
        let numbers: [UInt32] = [0, 1, 2, 3, .max - 1, .max]
        #expect(Self.holdsLaws(numbers.map(Epoch.init)) { Int($0.rawValue) })
        #expect(Epoch(1).next == Epoch(2))
        #expect(Epoch.none < Epoch(1))
    }

    @Test func sequenceNumbersFollowTheirNumbers() {
        let numbers: [UInt64] = [0, 1, 2, 3, 1 << 32, 1 << 48 - 2, 1 << 48 - 1]
        #expect(Self.holdsLaws(numbers.map(SequenceNumber.init)) { Int($0.rawValue) })
        #expect(SequenceNumber.none.next == SequenceNumber(1))
        #expect(SequenceNumber.max.rawValue == 0xFFFF_FFFF_FFFF)
    }

    @Test func versionsFollowTheirNumbers() {
        let numbers: [UInt64] = [0, 1, 2, 3, .max - 1, .max]
        let rank = Dictionary(uniqueKeysWithValues: numbers.enumerated().map { ($1, $0) })
        #expect(Self.holdsLaws(numbers.map(Version.init)) { rank[$0.rawValue] ?? -1 })
        #expect(Version.none == Version(0))
    }

    @Test func instantsFollowTheirNanoseconds() {
        let numbers: [UInt64] = [0, 1, 2, 3, .max - 1, .max]
        let rank = Dictionary(uniqueKeysWithValues: numbers.enumerated().map { ($1, $0) })
        let instants = numbers.map { Instant(nanoseconds: $0) }
        #expect(Self.holdsLaws(instants) { rank[$0.nanoseconds] ?? -1 })
    }

    @Test func positionsAreOrderedByEpochThenBySequence() {
        var positions: [LogPosition] = []
        for epoch in 0..<4 as Range<UInt32> {
            for sequence in 0..<4 as Range<UInt64> {
                positions.append(
                    LogPosition(epoch: Epoch(epoch), sequence: SequenceNumber(sequence)))
            }
        }
        #expect(
            Self.holdsLaws(positions) { Int($0.epoch.rawValue) * 4 + Int($0.sequence.rawValue) })
        #expect(positions.first == LogPosition.none)
    }

    @Test func theEpochWinsOverAnySequence() {
        let last = LogPosition(epoch: Epoch(1), sequence: .max)
        let first = LogPosition(epoch: Epoch(2), sequence: .none)
        #expect(last < first)
        #expect(!(first < last))
    }

    @Test func nodesAreOrderedByName() throws {
        let names = ["A", "B", "a", "b", "b-1", "b.1"]
        let nodes = try names.map { try #require(NodeID($0)) }
        #expect(nodes.shuffled().sorted() == nodes.sorted { $0.name < $1.name })
    }

    @Test func theLastEpochHasNoNext() async {
        await #expect(processExitsWith: .failure) { _ = Epoch(.max).next }
    }

    @Test func theLastSequenceNumberHasNoNext() async {
        await #expect(processExitsWith: .failure) { _ = SequenceNumber.max.next }
    }
}
