import CacheHTTP
import Threading

/// How many bytes of values this gateway holds at one time, for all of its connections.
final class ValueBudget: Sendable {
    private let held = Guarded(0)
    private let bytesMax: Int

    init(bytesMax: Int) { self.bytesMax = bytesMax }

    /// - Throws: ``ProblemKind/busy`` if there is no room for so many more.
    func take(_ bytes: Int) throws(Problem) {
        let isTaken = held.withLock { held in
            guard bytes <= bytesMax - held else { return false }
            held += bytes
            return true
        }
        guard isTaken else {
            throw Problem(
                .busy, "the gateway holds as many bytes of values as it may; try again shortly")
        }
    }

    func giveBack(_ bytes: Int) { held.withLock { $0 -= bytes } }

    /// What was taken for something turns out to be another number of bytes.
    ///
    /// - Throws: ``ProblemKind/busy`` if there is no room for what it is more; what was taken is
    ///   still held then.
    func settle(_ taken: Int, as bytes: Int) throws(Problem) {
        if bytes < taken {
            giveBack(taken - bytes)
        } else {
            try take(bytes - taken)
        }
    }

    /// For tests: what is held now.
    var heldBytes: Int { held.withLock { $0 } }
}
