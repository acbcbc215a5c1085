import Testing
import Threading

@Suite struct PromiseTests {
    @Test func everyWaiterGetsTheValueOnEveryWait() throws {
        let promise = Promise<String>()
        let waiters = try (0..<3).map { index in
            try OwnedThread(name: "waiter-\(index)") { [promise.wait(), promise.wait()] }
        }
        promise.fulfil("here")
        for waiter in waiters { #expect(waiter.join() == ["here", "here"]) }
        #expect(promise.wait() == "here")
    }

    @Test func onlyTheFirstValueCounts() {
        let promise = Promise<Int?>()
        promise.fulfil(nil)
        promise.fulfil(2)
        #expect(promise.wait() == nil)
    }

    /// What was done before giving is seen after waiting.
    @Test func waitingOnAPromiseMakesEarlierWritesVisible() throws {
        for round in 0..<100 {
            let (asked, answered) = (Promise<[Int]>(), Promise<[Int]>())
            let thread = try OwnedThread(name: "answers") {
                answered.fulfil(asked.wait() + [round])
            }
            asked.fulfil([1, 2])
            #expect(answered.wait() == [1, 2, round])
            thread.join()
        }
    }
}
