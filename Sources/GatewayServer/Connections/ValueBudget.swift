import CacheHTTP
import Threading

/// How many bytes of values this gateway holds at one time, for all of its connections.
///
/// Short ones have a little room of their own behind it: clients that fill the gateway with long
/// values do not have the small requests of all others refused.
final class ValueBudget: Sendable {
    private let held = Guarded(0)
    private let bytesMax: Int
    private let shortBytesMax: Int

    /// - Parameter shortBytesMax: what those up to ``GatewayLimits/valueBytesUncounted`` may take
    ///   beyond `bytesMax`.
    init(bytesMax: Int, shortBytesMax: Int = 0) {
        self.bytesMax = bytesMax
        self.shortBytesMax = shortBytesMax
    }

    /// - Parameter whole: what they are a part of; `nil`: they are all.
    /// - Throws: ``ProblemKind/busy`` if there is no room for so many more.
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

    /// What was taken for something turns out to be another number of bytes.
    ///
    /// - Throws: ``ProblemKind/busy`` if there is no room for what it is more; what was taken is
    ///   still held then.
    func settle(_ taken: Int, as bytes: Int) throws(Problem) {
        if bytes < taken {
            giveBack(taken - bytes)
        } else {
            try take(bytes - taken, of: bytes)
        }
    }

    /// For tests: what is held now.
    var heldBytes: Int { held.withLock { $0 } }
}
