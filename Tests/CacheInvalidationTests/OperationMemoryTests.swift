import CacheInvalidation
import CacheModel
import Testing

@Suite struct OperationMemoryTests {
    private func operation(_ number: UInt64) -> OperationID { OperationID(high: 0, low: number) }

    @Test func aRepetitionFindsItsFirstPosition() {
        var memory = OperationMemory()
        memory.remember(operation(1), at: .at(10))
        memory.remember(operation(1), at: .at(20))
        #expect(memory.position(of: operation(1)) == .at(10))
        #expect(memory.position(of: operation(2)) == nil)
    }

    @Test func whatHasNoNameIsNeverRecognised() {
        var memory = OperationMemory()
        memory.remember(.none, at: .at(10))
        #expect(memory.position(of: .none) == nil)
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
}
