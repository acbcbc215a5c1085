import CacheHTTP
import CacheModel
import Testing

@testable import GatewayServer

@Suite struct ValueBudgetTests {
    @Test func aBudgetRefusesExcessAndReusesReleasedBytes() throws {
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

    @Test func ofStreamsEveryByteCounts() async throws {
        let room = ReadRoom(ValueBudget(bytesMax: 1 << 20))
        let key = try #require(CacheKey("k"))
        for (room, bytes) in [(room, 0), (room.forStreams, 100)] {
            let held = try await room.around([key], .default) { ((), [100]) }
            #expect(held.bytes == bytes && room.budget.heldBytes == bytes)
        }
        // As much as is expected of the key, and that is known to both.
        _ = try await room.forStreams.around([key], .default) {
            #expect(room.budget.heldBytes == 200)
            return ((), [100])
        }
    }

    /// Whoever fills it with long values does not have everybody's small requests refused.
    @Test func shortOnesHaveRoomOfTheirOwnBehindTheLongOnes() throws {
        let short = GatewayLimits.valueBytesUncounted
        let budget = ValueBudget(bytesMax: 10 * short, shortBytesMax: 2 * short)
        try budget.take(10 * short)
        #expect(throws: Problem.self) { try budget.take(short + 1) }
        // Nor do the first pieces of a long one.
        #expect(throws: Problem.self) { try budget.take(1, of: short + 1) }
        try budget.take(short)
        try budget.take(short - 1)
        #expect(throws: Problem.self) { try budget.take(2) }
        // It is told that it is longer than was thought.
        #expect(throws: Problem.self) { try budget.settle(short - 1, as: short + 2) }
        budget.giveBack(2 * short - 1)
        #expect(throws: Problem.self) { try budget.take(short + 1) }
        budget.giveBack(10 * short)
        #expect(budget.heldBytes == 0)
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
