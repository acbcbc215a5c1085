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
}
