import Testing
import Threading

@Suite struct ThreadStartErrorTests {
    @Test func itSaysWhatIsScarceAndTheSystemsNumber() {
        #expect(
            ThreadStartError(code: 11).description == "the system starts no more threads (error 11)"
        )
    }
}
