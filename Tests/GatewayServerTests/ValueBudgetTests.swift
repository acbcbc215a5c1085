import CacheHTTP
import Testing

@testable import GatewayServer

@Suite struct ValueBudgetTests {
    @Test func whatIsTakenComesBackAndNoMoreThanThereIsIsTaken() throws {
        let budget = ValueBudget(bytesMax: 10)
        try budget.take(6)
        do throws(Problem) {
            try budget.take(5)
            Issue.record("taken")
        } catch {
            #expect(error.kind == .busy && error.retryAfterSeconds == 1)
        }
        #expect(budget.heldBytes == 6)
        try budget.take(4)
        budget.giveBack(10)
        try budget.take(10)
    }

    @Test func whatTurnsOutLongerIsTakenOnlyIfThereIsRoom() throws {
        let budget = ValueBudget(bytesMax: 10)
        try budget.take(4)
        try budget.settle(4, as: 9)
        #expect(budget.heldBytes == 9)
        try budget.settle(9, as: 2)
        #expect(budget.heldBytes == 2)
        #expect(throws: Problem.self) { try budget.settle(2, as: 11) }
        #expect(budget.heldBytes == 2, "what was taken is still there to be given back")
    }
}
