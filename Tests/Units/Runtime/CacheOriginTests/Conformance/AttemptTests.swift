import CacheLoading
import CacheModel
import CacheOrigin
import Threading
import Testing

@Suite struct AttemptTests {
    /// What was told and done, in order.
    private final class Diary: Sendable {
        private let lines = Guarded<[String]>([])

        var text: [String] { lines.withLock { $0 } }

        func write(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private let diary = Diary()

    private func attempt() -> Attempt {
        Attempt { [diary] outcome in
            diary.write(outcome.failure.map { "\($0)" } ?? "answered")
        }
    }

    private let answer = AttemptOutcome.answered(
        OriginReply(status: 200, fields: [], body: [], elapsed: .zero))

    @Test func theFirstEndIsTheOnlyOne() {
        let finished = attempt()
        finished.finish(answer)
        finished.finish(.failed(.unreachable))
        finished.abort()
        #expect(diary.text == ["answered"])
        let cut = attempt()
        cut.abort()
        cut.finish(answer)
        #expect(diary.text == ["answered", "cancelled"])
    }

    @Test func whatIsCutIsReleasedAndThenTold() {
        let aborted = attempt()
        aborted.whenCut { [diary] in diary.write("released") }
        aborted.abort()
        aborted.abort()
        #expect(diary.text == ["released", "cancelled"])
    }

    @Test func whatHasFinishedIsNotReleased() {
        let finished = attempt()
        finished.whenCut { [diary] in diary.write("released") }
        finished.finish(answer)
        finished.abort()
        #expect(diary.text == ["answered"])
    }

    @Test func workThatBeginsAfterTheEndIsReleasedAtOnce() {
        let aborted = attempt()
        aborted.abort()
        aborted.whenCut { [diary] in diary.write("released") }
        #expect(diary.text == ["cancelled", "released"])
    }

    @Test func elapsedNeverGoesBack() {
        let attempt = attempt()
        let first = attempt.elapsed
        #expect(first >= .zero && attempt.elapsed >= first)
    }
}
