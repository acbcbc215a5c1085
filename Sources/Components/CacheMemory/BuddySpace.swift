/// Allocates slabs of a shard's addresses: runs of a power of two, by the buddy method [1].
///
///     free[0]   single slabs          a run of 2^k slabs begins at a multiple of 2^k; freed, it
///     free[1]   runs of two           joins its buddy – the other half of the run it was split
///     free[2]   runs of four  …       from – if that is free as well
///
/// It manages addresses only: untouched ones use no memory.
///
/// [1] Knowlton, A fast storage allocator, CACM 1965.
struct BuddySpace {
    /// Free runs of each order, by their first slab; the last is allocated first.
    private var free: [[UInt32]]
    /// For the first slab of a free run: its order plus one, and its index in that list.
    private var freeOrder: [UInt8]
    private var freePlace: [UInt32]
    let slabCount: Int
    private(set) var usedCount = 0

    /// - Parameter orders: The space has 2^(orders − 1) slabs.
    init(orders: Int) {
        precondition((1...31).contains(orders), "a slab's number takes 32 bits")
        slabCount = 1 << (orders - 1)
        free = Array(repeating: [], count: orders)
        freeOrder = Array(repeating: 0, count: slabCount)
        freePlace = Array(repeating: 0, count: slabCount)
        insert(0, order: orders - 1)
    }

    /// Allocates a run of 2^order slabs.
    ///
    /// - Returns: its first slab; `nil` if no such run is free.
    /// - Complexity: O(orders).
    mutating func take(order: Int) -> Int? {
        guard order < free.count,
            var found = (order..<free.count).first(where: { !free[$0].isEmpty }),
            let first = free[found].last
        else { return nil }
        remove(Int(first))
        while found > order {
            found -= 1
            insert(Int(first) + 1 << found, order: found)
        }
        usedCount += 1 << order
        return Int(first)
    }

    /// Frees a run that ``take(order:)`` returned.
    mutating func give(_ first: Int, order: Int) {
        precondition(freeOrder[first] == 0, "a run is given back once")
        usedCount -= 1 << order
        var first = first
        var order = order
        while order + 1 < free.count {
            let buddy = first ^ 1 << order
            guard freeOrder[buddy] == UInt8(order + 1) else { break }
            remove(buddy)
            first = min(first, buddy)
            order += 1
        }
        insert(first, order: order)
    }

    private mutating func insert(_ first: Int, order: Int) {
        freeOrder[first] = UInt8(order + 1)
        freePlace[first] = UInt32(free[order].count)
        free[order].append(UInt32(first))
    }

    private mutating func remove(_ first: Int) {
        let order = Int(freeOrder[first]) - 1
        let place = Int(freePlace[first])
        let last = free[order].removeLast()
        if Int(last) != first {
            free[order][place] = last
            freePlace[Int(last)] = UInt32(place)
        }
        freeOrder[first] = 0
    }
}
