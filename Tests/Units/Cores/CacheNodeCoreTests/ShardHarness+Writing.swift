import CacheLoading
import CacheModel
import CacheNodeCore
import CacheWire

extension ShardHarness {
    /// The writes that were ordered since the last call.
    mutating func takeWrites() -> [WriteOrder] {
        var orders: [WriteOrder] = []
        for case .write(let order) in effects { orders.append(order) }
        effects.removeAll { if case .write = $0 { true } else { false } }
        return orders
    }

    /// A write comes to something, and whoever can be answered then is.
    mutating func end(_ order: WriteOrder?, _ answer: WriteAnswer) -> [Outcome] {
        guard let order else { preconditionFailure("there is a write to end") }
        core.writeEnded(order.ticket.number, answer)
        return finishedOutcomes()
    }
}
