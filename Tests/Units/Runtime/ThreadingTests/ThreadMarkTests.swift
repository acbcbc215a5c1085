import Testing
import Threading

@Suite struct ThreadMarkTests {
    @Test func aThreadHasOneMarkAndNoOtherHasIt() throws {
        let gate = Promise<Void>()
        let threads = try (0..<4).map { _ in
            try OwnedThread(name: "marked") {
                let first = ThreadMark.current
                gate.wait()
                return [first, ThreadMark.current]
            }
        }
        gate.fulfil(())
        let marks = threads.map { $0.join() }
        for pair in marks {
            #expect(pair[0] == pair[1] && pair[0] != .none)
        }
        // All four lived until the gate was opened.
        #expect(Set(marks.map { $0[0] }).count == 4)
    }
}
