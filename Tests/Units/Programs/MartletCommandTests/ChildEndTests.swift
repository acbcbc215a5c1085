import Testing

@testable import martlet

@Suite struct ChildEndTests {
    private func end(_ how: ChildProgram.End) -> ChildEnd {
        ChildEnd(name: "n2", processID: 7, how: how)
    }

    @Test func onlyAnEndByItselfWithoutAFaultIsInOrder() {
        #expect(end(.exited(0)).isInOrder)
        #expect(!end(.exited(70)).isInOrder)
        #expect(!end(.signalled(9)).isInOrder)
        #expect(!end(.signalled(0)).isInOrder)
    }
}
