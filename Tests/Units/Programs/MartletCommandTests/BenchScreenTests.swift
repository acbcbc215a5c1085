import Testing

@testable import martlet

@Suite struct BenchScreenTests {
    /// After Ctrl-C the line goes on until the run is over, and does not spin.
    @Test func theScreenPausesAlsoOnceItIsCancelled() async {
        let clock = ContinuousClock()
        let begun = clock.now
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for _ in 0..<2 { await BenchScreen.pause() } }
            group.cancelAll()
        }
        #expect(clock.now - begun >= .milliseconds(500))
    }
}
