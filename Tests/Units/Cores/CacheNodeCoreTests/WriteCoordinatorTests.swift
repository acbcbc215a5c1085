import CacheInvalidation
import CacheLoading
import CacheModel
import Testing

@testable import CacheNodeCore

/// Numbers and ids of the writes of one shard.
@Suite struct WriteCoordinatorTests {
    private static func begin(
        _ writes: inout WriteCoordinator, operation: Int
    ) throws -> WriteOrder {
        let key = try #require(CacheKey(bytes: [1]))
        let name = writes.nextID(asked: .none, operation)
        return writes.begin(
            OriginWrite(namespace: .default, key: key, change: .delete, name: name),
            for: PendingWrite(request: 7, operation: operation), patience: .seconds(1))
    }

    private static var coordinator: WriteCoordinator {
        WriteCoordinator(shard: ShardIndex(3), names: OperationNames(seed: 1))
    }

    @Test func eachWriteHasAUniqueTicketAndIDAndEndsOnce() throws {
        var writes = Self.coordinator
        let orders = try (0..<100).map { try Self.begin(&writes, operation: $0) }
        #expect(Set(orders.map(\.ticket)).count == 100)
        #expect(Set(orders.map(\.write.name)).count == 100)
        #expect(orders.allSatisfy { $0.ticket.shard == 3 && $0.write.name != .none })
        for (operation, order) in orders.enumerated() {
            let pending = writes.end(order.ticket.number)
            #expect(pending?.request == 7 && pending?.operation == operation)
            #expect(writes.end(order.ticket.number) == nil)
        }
    }

    /// An origin that sees a repeated message again has to recognise each of its writes.
    @Test func theAskersOwnIDNamesEachOperationTheSameEveryTime() throws {
        var writes = Self.coordinator
        let asked = OperationID(high: 5, low: .max)
        let first = (0..<3).map { writes.nextID(asked: asked, $0) }
        _ = try Self.begin(&writes, operation: 0)
        #expect((0..<3).map { writes.nextID(asked: asked, $0) } == first)
        #expect(first[0] == asked && Set(first).count == 3)
    }
}
