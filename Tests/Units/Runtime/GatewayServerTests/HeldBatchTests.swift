import CacheHTTP
import CacheModel
import Testing

@testable import GatewayServer

@Suite struct HeldBatchTests {
    private static func values(_ count: Int, of byte: UInt8) -> [Result<LookedUp, Problem>] {
        let value = FoundValue([UInt8](repeating: byte, count: 1 << 20))
        return [Result<LookedUp, Problem>](repeating: .success(.found(value)), count: count)
    }

    private static func keys(_ count: Int) throws -> [CacheKey] {
        try (0..<count).map { try #require(CacheKey("k\($0)")) }
    }

    @Test func whatValuesHaveBecomeIsHeldUntilItIsSent() throws {
        let budget = ValueBudget(bytesMax: 64 << 20)
        var batch = HeldBatch(ReadRoom(budget))
        // Each byte takes six, so that the second finds no room more.
        try budget.take(2 << 20)
        try batch.add(try Self.keys(2), Self.values(2, of: 1), holding: 2 << 20)
        guard case .whole(let answer, let heldBytes) = batch.answer else {
            Issue.record("a batch is answered as a whole")
            return
        }
        #expect(budget.heldBytes >= 6 << 20)
        #expect(budget.heldBytes == answer.body.count - 2)
        #expect(heldBytes == budget.heldBytes)
        #expect(batch.isFull)
    }

    @Test func aTextForWhichThereIsNoRoomIsNotHeld() throws {
        let budget = ValueBudget(bytesMax: 3 << 20)
        var batch = HeldBatch(ReadRoom(budget))
        try budget.take(1 << 20)
        let keys = try Self.keys(1)
        #expect(throws: Problem.self) {
            try batch.add(keys, Self.values(1, of: 1), holding: 1 << 20)
        }
        #expect(budget.heldBytes == 0)
    }
}
