import CacheHTTP
import CacheModel
import Threading

/// The budget of value bytes that this gateway may hold at one time, for all of its connections.
///
/// Short values have a small extra budget: clients that fill the gateway with long values do not
/// cause the small requests of all others to be refused.
final class ValueBudget: Sendable {
    private let held = Guarded(0)
    private let bytesMax: Int
    private let shortBytesMax: Int

    /// - Parameter shortBytesMax: how much values up to ``GatewayLimits/valueBytesUncounted`` may
    ///   use beyond `bytesMax`.
    init(bytesMax: Int, shortBytesMax: Int = 0) {
        self.bytesMax = bytesMax
        self.shortBytesMax = shortBytesMax
    }

    /// - Parameter whole: the value that they are a part of; `nil`: they are the whole value.
    /// - Throws: ``ProblemKind/busy`` if there is no space for them.
    func take(_ bytes: Int, of whole: Int? = nil) throws(Problem) {
        let isShort = (whole ?? bytes) <= GatewayLimits.valueBytesUncounted
        let most = isShort ? bytesMax + shortBytesMax : bytesMax
        let isTaken = held.withLock { held in
            guard bytes <= most - held else { return false }
            held += bytes
            return true
        }
        guard isTaken else {
            throw Problem(
                .busy, "the gateway holds as many bytes of values as it may; try again shortly")
        }
    }

    func giveBack(_ bytes: Int) { held.withLock { $0 -= bytes } }

    /// Corrects a reservation to another number of bytes.
    ///
    /// - Throws: ``ProblemKind/busy`` if there is no space for the difference; the old reservation
    ///   stays then.
    func settle(_ taken: Int, as bytes: Int) throws(Problem) {
        if bytes < taken {
            giveBack(taken - bytes)
        } else {
            try take(bytes - taken, of: bytes)
        }
    }

    /// For tests: the reserved bytes.
    var heldBytes: Int { held.withLock { $0 } }
}

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
