import CacheModel
import Testing

@testable import CacheSimulation

/// What the oracle knows of one shard.
@Suite struct ShardMemoryTests {
    private static func record(_ sequence: UInt64, of item: Int) -> SealedRecord {
        let named = Catalog.items[item]
        let record = InvalidationRecord(
            position: LogPosition(epoch: Epoch(1), sequence: SequenceNumber(sequence)),
            previousDigest: LogDigest(sequence - 1), operation: .none, strength: .hard,
            scopes: [Scope(.key(named.key, in: named.namespace))])
        return SealedRecord(record: record, bytes: [], digest: LogDigest(sequence))
    }

    // MARK: Load leases

    @Test func onlyTheNewestLeaseOfAKeyStores() {
        var memory = ShardMemory()
        memory.give(1, for: 0, step: 1)
        memory.give(2, for: 0, step: 2)
        #expect(!memory.isLoad(0, under: 1, at: 3))
        #expect(memory.isLoad(0, under: 2, at: 3))
        #expect(!memory.isLoad(1, under: 2, at: 3))
    }

    @Test func aStoreOrAnInvalidationOfAKeyVoidsItsLeases() {
        var memory = ShardMemory()
        memory.give(1, for: 0, step: 1)
        memory.give(2, for: 1, step: 1)
        memory.give(3, for: 2, step: 1)
        memory.voidLeases(of: 0, step: 2)
        memory.obey(Self.record(1, of: 1), step: 3)
        #expect(!memory.isLoad(0, under: 1, at: 4))
        #expect(!memory.isLoad(1, under: 2, at: 4))
        #expect(memory.leases.isOutdated(1))
        #expect(memory.isLoad(2, under: 3, at: 4))
        #expect(!memory.leases.isOutdated(2))
    }

    // MARK: Records

    @Test func aRunKnowsWhatTheRunThatWroteItsDiskHadApplied() {
        var earlier = ShardMemory()
        earlier.obey(Self.record(1, of: 0), step: 5)
        var later = ShardMemory()
        later.inherit(earlier, of: Incarnation(1), step: 9)
        let digest = Self.record(1, of: 0).digest
        let held = Holding(
            step: 6, valueStep: 6, time: .beginning, endsAt: nil, readStep: 4, sawStep: 4)
        var own = held
        own.step = 10
        #expect(later.obeyedStep(digest, for: held) == 5)
        #expect(later.obeyedStep(digest, for: own) == nil)
        #expect(later.obeyedStep(digest, for: nil) == nil)
    }

    @Test func aShardThatContinuesAtItsDiskHasAppliedAllRecordsBeforeThat() {
        var memory = ShardMemory()
        let old = RecordFact(Self.record(1, of: 0), step: 2, time: .beginning, generation: 1)
        let new = RecordFact(Self.record(3, of: 0), step: 2, time: .beginning, generation: 1)
        #expect(!memory.hasObeyed(old))
        memory.resume(at: Self.record(2, of: 0).mark, step: 7)
        #expect(memory.hasObeyed(old))
        #expect(!memory.hasObeyed(new))
    }
}
