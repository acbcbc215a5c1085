import Foundation
import Testing
import Threading

@Suite struct OwnedThreadTests {
    @Test func everyJoinReturnsTheResultOfTheThread() throws {
        let mayEnd = Promise<Void>()
        let thread = try OwnedThread(name: "worker") { () -> [Int] in
            mayEnd.wait()
            return [1, 2, 3]
        }
        let others = try (0..<3).map { index in
            try OwnedThread(name: "joiner-\(index)") { thread.join() }
        }
        mayEnd.fulfil(())
        #expect(thread.join() == [1, 2, 3])
        #expect(thread.join() == [1, 2, 3])
        for other in others { #expect(other.join() == [1, 2, 3]) }
    }

    @Test func aThreadWithoutAReferenceRunsToItsEnd() throws {
        let (mayEnd, ended) = (Promise<Int>(), Promise<Int>())
        _ = try OwnedThread(name: "forgotten") { ended.fulfil(mayEnd.wait() + 1) }
        mayEnd.fulfil(1)
        #expect(ended.wait() == 2)
    }

    @Test func aThreadThatCannotStartThrowsAndNeverRuns() {
        let wasRun = Guarded(false)
        let witness = Witness()
        #expect(throws: ThreadStartError.self) {
            // More than there are addresses.
            _ = try OwnedThread(name: "giant", stackBytes: 1 << 60) { [witness] in
                witness.touch()
                wasRun.withLock { $0 = true }
            }
        }
        #expect(!wasRun.withLock { $0 })
    }

    @Test func aBodyThatNeverRunsIsLetGoOf() {
        weak var held: Witness?
        do {
            let witness = Witness()
            held = witness
            #expect(throws: ThreadStartError.self) {
                _ = try OwnedThread(name: "giant", stackBytes: 1 << 60) { witness.touch() }
            }
        }
        #expect(held == nil)
    }

    @Test func aStackTooSmallToWorkWithIsAProgrammingError() async {
        await #expect(processExitsWith: .failure) {
            _ = try OwnedThread(name: "dwarf", stackBytes: ThreadingLimits.stackBytesMin - 1) {}
        }
    }

    #if os(Linux)
        @Test(arguments: [
            ("publisher", "publisher"),
            ("fifteen-letters", "fifteen-letters"),
            ("more-than-fifteen-letters", "more-than-fifte"),
        ])
        func aThreadIsCalledByTheFirstFifteenBytesOfItsName(name: String, kept: String) throws {
            let thread = try OwnedThread(name: name) {
                (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? ""
            }
            #expect(thread.join() == kept + "\n")
        }

        /// Goes down at least 16 MiB: more than a thread usually has, less than it is given here.
        @Test func aThreadHasTheStackThatWasAskedFor() async {
            await #expect(processExitsWith: .success) {
                let thread = try OwnedThread(name: "deep", stackBytes: 256 << 20) {
                    OwnedThreadTests.descend(512)
                }
                guard thread.join() == 512 * 513 / 2 else { exit(1) }
            }
            await #expect(processExitsWith: .failure) {
                let thread = try OwnedThread(name: "shallow") { OwnedThreadTests.descend(512) }
                _ = thread.join()
            }
        }

        /// Takes at least 32 KiB of stack for each level.
        @inline(never)
        private static func descend(_ level: Int) -> Int {
            if level == 0 { return 0 }
            let room = InlineArray<4096, Int>(repeating: level)
            return descend(level - 1) + room[level % 4096]
        }
    #endif

    private final class Witness: Sendable {
        func touch() {}
    }
}
