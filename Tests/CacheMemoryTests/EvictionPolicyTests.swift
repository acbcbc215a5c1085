import CacheModel
import Testing

@testable import CacheMemory

/// What every ``EvictionPolicy`` promises.
struct EvictionPolicyConformance {
    let name: EvictionPolicyName

    func check() {
        eachEntryIsTakenOnce()
        whatWasRemovedIsNotTaken()
        aReplacementIsTakenInsteadOfWhatItReplaced()
        nobodyIsTakenFromAnEmptyPolicy()
        itKeepsItsBooksThroughAnything()
    }

    private func eachEntryIsTakenOnce() {
        let policy = name.make()
        let entries = (0..<200).map { makeEntry($0, frequency: UInt8($0 % 4)) }
        for entry in entries { policy.admit(entry) }
        #expect(policy.entryCount == 200)
        var taken: Set<UInt64> = []
        while let victim = policy.takeVictim() { taken.insert(victim.word) }
        #expect(taken == Set(entries.map(\.word)))
        #expect(policy.entryCount == 0)
        for entry in entries { entry.free() }
    }

    private func whatWasRemovedIsNotTaken() {
        let policy = name.make()
        let entries = (0..<10).map { makeEntry($0, frequency: 0) }
        for entry in entries { policy.admit(entry) }
        policy.remove(entries[0])
        policy.remove(entries[9])
        var count = 0
        while let victim = policy.takeVictim() {
            #expect(victim != entries[0] && victim != entries[9])
            count += 1
        }
        #expect(count == 8)
        for entry in entries { entry.free() }
    }

    private func aReplacementIsTakenInsteadOfWhatItReplaced() {
        let policy = name.make()
        let old = makeEntry(1, frequency: 0)
        let new = makeEntry(1, frequency: 0)
        policy.admit(old)
        policy.replace(old, with: new)
        #expect(policy.holds(new))
        #expect(policy.takeVictim() == new)
        #expect(policy.takeVictim() == nil)
        old.free()
        new.free()
    }

    private func nobodyIsTakenFromAnEmptyPolicy() {
        #expect(name.make().takeVictim() == nil)
    }

    private func itKeepsItsBooksThroughAnything() {
        for seed in UInt64(1)...5 {
            var dice = SeededGenerator(seed: seed)
            let policy = name.make()
            var held: [Entry] = []
            for step in 0..<5_000 {
                switch dice.below(5) {
                case 0, 1:
                    let entry = makeEntry(step % 300, frequency: UInt8(dice.below(4)))
                    policy.admit(entry)
                    held.append(entry)
                case 2 where !held.isEmpty:
                    let entry = held.remove(at: dice.below(held.count))
                    #expect(policy.holds(entry))
                    policy.remove(entry)
                    entry.free()
                case 3 where !held.isEmpty:
                    let index = dice.below(held.count)
                    let entry = makeEntry(step % 300, frequency: 1)
                    policy.replace(held[index], with: entry)
                    held[index].free()
                    held[index] = entry
                default:
                    let victim = policy.takeVictim()
                    #expect((victim == nil) == held.isEmpty)
                    guard let victim, let index = held.firstIndex(of: victim) else { continue }
                    held.remove(at: index)
                    victim.free()
                }
                #expect(policy.entryCount == held.count)
            }
            #expect(held.allSatisfy { policy.holds($0) })
            for entry in held { entry.free() }
        }
    }

    private func makeEntry(_ number: Int, frequency: UInt8) -> Entry {
        var dice = SeededGenerator(seed: UInt64(number))
        let offer = Offer(key: "k\(number)")
        let entry = offer.withCandidate(hash: KeyHash(dice.next())) {
            Entry.make(
                $0, tagIDs: UnsafeBufferPointer(start: nil, count: 0), now: at(1), identity: 1)
        }
        entry.head.pointee.frequency = frequency
        return entry
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
