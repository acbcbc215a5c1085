import Testing

@testable import martlet

@Suite struct ChildEndTests {
    private func end(_ code: Int32, wasSignalled: Bool) -> ChildEnd {
        ChildEnd(name: "n2", processID: 7, code: code, wasSignalled: wasSignalled)
    }

    @Test func onlyAnEndByItselfWithoutAFaultIsInOrder() {
        #expect(end(0, wasSignalled: false).isInOrder)
        #expect(!end(70, wasSignalled: false).isInOrder)
        #expect(!end(9, wasSignalled: true).isInOrder)
        #expect(!end(0, wasSignalled: true).isInOrder)
    }
}
