import CacheHTTP
import CacheModel

/// The answer to a batch while it is built, and its reserved bytes in the budget: first for the
/// values, then for the text made from them.
struct HeldBatch {
    private let room: ReadRoom
    private var batch = BatchAnswer()
    private var heldBytes = 0

    init(_ room: ReadRoom) { self.room = room }

    var isFull: Bool { batch.isFull }

    /// Adds keys without a value, with the reason.
    mutating func add(_ keys: [CacheKey], _ problem: Problem) {
        for key in keys { batch.add(key, problem) }
    }

    /// Adds the results of keys, in their order.
    ///
    /// - Parameter bytes: reserved in the budget for the values. From now on reserved here.
    /// - Throws: ``ProblemKind/busy`` if there is no space for the text; nothing is reserved then.
    mutating func add(
        _ keys: [CacheKey], _ results: [Result<LookedUp, Problem>], holding bytes: Int
    ) throws(Problem) {
        for (key, result) in zip(keys, results) {
            switch result {
            case .success(.found(let value)): batch.add(key, value)
            case .success(.offer(let offer)): batch.add(key, offer)
            case .success(.nothing): batch.add(key, nil)
            case .failure(let problem): batch.add(key, problem)
            }
        }
        heldBytes += bytes
        do throws(Problem) {
            let counted = room.counted(batch.bytes)
            try room.budget.settle(heldBytes, as: counted)
            heldBytes = counted
        } catch {
            room.budget.giveBack(heldBytes)
            heldBytes = 0
            throw error
        }
    }

    var answer: GatewayAnswer { .whole(batch.answer, heldBytes: heldBytes) }
}
