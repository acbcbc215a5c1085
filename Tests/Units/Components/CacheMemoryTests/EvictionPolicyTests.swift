import ByteCoding
import CacheModel
import Testing
import TestSupport

@testable import CacheMemory

/// What every ``EvictionPolicy`` promises.
final class EvictionPolicyConformance {
    let name: EvictionPolicyName
    private var arena = SlabArena(budgetBytes: 1 << 20)
    private let hasher = EntryHasher(hasher: KeyHasher(seed: 7))
    private let weights: EntryWeights

    init(name: EvictionPolicyName) {
        self.name = name
        weights = EntryWeights(.memory, hasher, arena)
    }

    func check() {
        eachEntryIsTakenOnce()
        whatWasRemovedIsNotTaken()
        aReplacementIsTakenInsteadOfWhatItReplaced()
        nobodyIsTakenFromAnEmptyPolicy()
        for seed in UInt64(1)...5 { itKeepsItsBooksThroughAnything(seed) }
    }

    private func make() -> any EvictionPolicy { name.make(weights, budget: 10_000) }

    private func eachEntryIsTakenOnce() {
        let policy = make()
        let entries = (0..<200).map { admitted($0, frequency: UInt64($0 % 4), to: policy) }
        #expect(policy.entryCount == 200)
        var taken: Set<EntryReference> = []
        while let victim = policy.takeVictim() { taken.insert(weights.space.reference(victim)) }
        #expect(taken == Set(entries.map { weights.space.reference($0) }))
        #expect(policy.entryCount == 0)
        for entry in entries { free(entry) }
    }

    private func whatWasRemovedIsNotTaken() {
        let policy = make()
        let entries = (0..<10).map { admitted($0, frequency: 0, to: policy) }
        policy.remove(entries[0])
        policy.remove(entries[9])
        var count = 0
        while let victim = policy.takeVictim() {
            #expect(victim != entries[0] && victim != entries[9])
            count += 1
        }
        #expect(count == 8)
        for entry in entries { free(entry) }
    }

    private func aReplacementIsTakenInsteadOfWhatItReplaced() {
        let policy = make()
        let old = admitted(1, frequency: 0, to: policy)
        let new = makeEntry(1, valueBytes: 500)
        new.inherit(old)
        policy.replace(old, with: new)
        #expect(policy.holds(new))
        #expect(policy.takeVictim() == new)
        #expect(policy.takeVictim() == nil)
        free(old)
        free(new)
    }

    private func nobodyIsTakenFromAnEmptyPolicy() {
        #expect(make().takeVictim() == nil)
    }

    private func itKeepsItsBooksThroughAnything(_ seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        let policy = make()
        var held: [Entry] = []
        for step in 0..<5_000 {
            let index = held.isEmpty ? 0 : dice.below(held.count)
            switch dice.below(7) {
            case 0, 1:
                held.append(
                    admitted(step % 300, frequency: UInt64(dice.below(4)), to: policy))
            case 2 where !held.isEmpty:
                let entry = held.remove(at: index)
                #expect(policy.holds(entry))
                policy.remove(entry)
                free(entry)
            case 3 where !held.isEmpty:
                let entry = makeEntry(step % 300, valueBytes: dice.below(2_000))
                entry.inherit(held[index])
                policy.replace(held[index], with: entry)
                free(held[index])
                held[index] = entry
            case 4 where !held.isEmpty: held[index] = moved(held[index], policy)
            case 5 where !held.isEmpty:
                held[index].countHit()
                policy.hit(held[index], hasher.hash(held[index]))
                policy.missed(KeyHash(dice.next()), in: room)
            default:
                let victim = policy.takeVictim()
                #expect((victim == nil) == held.isEmpty)
                guard let victim, let index = held.firstIndex(of: victim) else { continue }
                held.remove(at: index)
                free(victim)
            }
            #expect(policy.entryCount == held.count)
        }
        #expect(held.allSatisfy { policy.holds($0) })
        for entry in held { free(entry) }
    }

    private func admitted(
        _ number: Int, frequency: UInt64, to policy: any EvictionPolicy
    ) -> Entry {
        let entry = makeEntry(number, valueBytes: 3 + number % 5 * 100)
        let hash = hasher.hash(entry)
        policy.prepare(hash, weight: weights.weight(of: entry), in: room)
        policy.admit(entry, hash)
        entry.frequency = frequency
        return entry
    }

    private func makeEntry(_ number: Int, valueBytes: Int) -> Entry {
        let offer = Offer(key: "k\(number)", value: Array(repeating: 7, count: valueBytes))
        return offer.withCandidate(hash: KeyHash(0)) { candidate in
            guard let reference = arena.take(candidate.blockBytes, mayGrow: true) else {
                preconditionFailure("the arena has room for the test")
            }
            let entry = weights.space.entry(reference)
            entry.write(
                candidate, tagIDs: UnsafeBufferPointer(start: nil, count: 0), now: at(1),
                identity: 1)
            return entry
        }
    }

    private func moved(_ old: Entry, _ policy: any EvictionPolicy) -> Entry {
        guard let reference = arena.take(old.blockBytes, mayGrow: true) else {
            preconditionFailure("the arena has room for the test")
        }
        let new = weights.space.entry(reference)
        new.base.copyMemory(from: old.base, byteCount: old.blockBytes)
        policy.moved(from: old, to: new)
        free(old)
        return new
    }

    private func free(_ entry: Entry) {
        arena.give(weights.space.reference(entry), entry.blockBytes)
    }
}

@Suite struct EvictionPolicyTests {
    @Test(arguments: EvictionPolicyName.allCases)
    func everyPolicyConforms(name: EvictionPolicyName) {
        EvictionPolicyConformance(name: name).check()
    }

    /// A loop a little larger than the tier: without ghosts S3-FIFO would never learn it.
    @Test func aGhostComesBackToTheMainQueue() {
        var ghosts = GhostTable()
        ghosts.remember(KeyHash(77), window: 10)
        let stranger = ghosts.take(KeyHash(78), window: 10)
        let known = ghosts.take(KeyHash(77), window: 10)
        let knownAgain = ghosts.take(KeyHash(77), window: 10)
        #expect(!stranger && known && !knownAgain)
        for number in 1...20 { ghosts.remember(KeyHash(UInt64(number) << 32), window: 10) }
        let recent = ghosts.take(KeyHash(15 << 32), window: 10)
        let old = ghosts.take(KeyHash(5 << 32), window: 10)
        #expect(recent && !old)
    }
}
