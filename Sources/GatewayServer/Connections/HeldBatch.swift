import CacheHTTP
import CacheModel

/// The answer to a batch while it is put together, and what the budget holds for it: for values as
/// long as they are only that, and then for the text that they have become.
struct HeldBatch {
    private let room: ReadRoom
    private var batch = BatchAnswer()
    private var heldBytes = 0

    init(_ room: ReadRoom) { self.room = room }

    var isFull: Bool { batch.isFull }

    /// Adds why keys have no value.
    mutating func add(_ keys: [CacheKey], _ problem: Problem) {
        for key in keys { batch.add(key, problem) }
    }

    /// Adds what was found of keys, in their order.
    ///
    /// - Parameter bytes: what the budget holds for the values. From now on it is held here.
    /// - Throws: ``ProblemKind/busy`` if there is no room for the text; nothing is held then.
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

    var answer: HeldAnswer {
        var answer = HeldAnswer(batch.answer)
        answer.heldBytes = heldBytes
        return answer
    }
}
