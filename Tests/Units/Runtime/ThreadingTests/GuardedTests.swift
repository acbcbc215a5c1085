import Testing
import Threading

@Suite struct GuardedTests {
    private struct Refusal: Error, Equatable {}

    /// Enough threads and turns that some have to wait for the lock: the sanitizer then sees its
    /// slow way, too.
    @Test func noChangeIsLostBetweenThreads() throws {
        let numbers = Guarded<[Int]>([])
        let threads = try (0..<4).map { index in
            try OwnedThread(name: "adder-\(index)") {
                for turn in 0..<5_000 {
                    numbers.withLock { numbers in
                        if numbers.count == 64 { numbers.removeAll() }
                        numbers.append((numbers.last ?? index) &+ turn)
                    }
                    counted.withLock { $0 += 1 }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(counted.withLock { $0 } == 20_000)
        #expect(numbers.withLock { $0.count } == 20_000 % 64)
    }

    private let counted = Guarded(0)

    @Test func whatABodyThrowsIsThrownAndTheLockIsFreeAgain() {
        let number = Guarded(1)
        #expect(throws: Refusal()) {
            try number.withLock { number throws(Refusal) in
                number = 2
                throw Refusal()
            }
        }
        #expect(number.withLock { $0 } == 2)
    }

    @Test func whatTheBodyFindsIsHandedOut() {
        let words = Guarded(["a", "b"])
        let taken = words.withLock { words in
            defer { words = [] }
            return words
        }
        #expect(taken == ["a", "b"])
        #expect(words.withLock { $0 } == [])
    }
}
