import CacheInvalidation
import CacheModel
import Testing

@Suite struct OperationMemoryTests {
    private func operation(
        _ number: UInt64, _ strength: InvalidationRecord.Strength = .hard,
        _ scopes: ScopeList = [Scope(.everything)]
    ) -> OperationImprint {
        OperationImprint(OperationID(high: 0, low: number), strength, scopes)
    }

    @Test func aRepetitionFindsItsFirstPosition() {
        var memory = OperationMemory()
        memory.remember(operation(1), at: .at(10))
        memory.remember(operation(1), at: .at(20))
        #expect(memory.position(of: operation(1)) == .at(10))
        #expect(memory.position(of: operation(2)) == nil)
    }

    @Test func whatHasNoNameIsNeverRecognised() {
        var memory = OperationMemory()
        memory.remember(operation(0), at: .at(10))
        #expect(memory.position(of: operation(0)) == nil)
        #expect(memory.count == 0)
    }

    @Test func theOldestIsForgottenFirst() {
        var memory = OperationMemory(operationsMax: 3)
        for number in 1...5 as ClosedRange<UInt64> {
            memory.remember(operation(number), at: .at(number))
        }
        #expect(memory.count == 3)
        #expect(memory.position(of: operation(2)) == nil)
        #expect(memory.position(of: operation(3)) == .at(3))
        #expect(memory.position(of: operation(5)) == .at(5))
    }

    /// Else whoever learns a name could use it first, for something of his own.
    @Test func whatCoversSomethingElseIsNoRepetition() throws {
        let (one, two) = (try #require(Namespace("one")), try #require(Namespace("two")))
        let (a, b) = (try #require(CacheKey("a")), try #require(CacheKey("b")))
        let tag = try #require(Tag("a"))
        let lists: [ScopeList] = [
            [Scope(.key(a, in: one))], [Scope(.key(b, in: one))], [Scope(.key(a, in: two))],
            [Scope(.key(a, in: one), minimumVersion: Version(1))],
            [Scope(.key(a, in: one), minimumVersion: Version(2))],
            [Scope(.key(a, in: one)), Scope(.key(b, in: one))],
            [Scope(.key(b, in: one)), Scope(.key(a, in: one))],
            [Scope(.prefix([0x61], in: one))], [Scope(.tag(tag, in: one))],
            [Scope(.namespace(one))], [Scope(.namespace(two))], [Scope(.everything)],
            [Scope(.everything, hashRange: 0...1)], [Scope(.everything, hashRange: 1...1)], [],
        ]
        let all = lists.flatMap { list in
            InvalidationRecord.Strength.allCases.map { operation(7, $0, list) }
        }
        for (index, done) in all.enumerated() {
            var memory = OperationMemory()
            memory.remember(done, at: .at(10))
            for (other, asked) in all.enumerated() {
                #expect((memory.position(of: asked) != nil) == (index == other))
            }
        }
    }

    /// As one is read from a request, and the other from the log.
    @Test func theSameScopesAreARepetitionHoweverTheyAreKept() throws {
        let key = try #require(CacheKey("abc"))
        var read = ScopeList(keysIn: [0, 0x61, 0x62, 0x63], count: 1)
        let isTaken = read.append(keyAt: 1, byteCount: 3, in: .default)
        #expect(isTaken)
        #expect(operation(1, .soft, read) == operation(1, .soft, [Scope(.key(key, in: .default))]))
    }
}
