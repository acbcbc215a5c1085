public import CacheModel

/// What each key has used up of what it may ask: of one shard, or of the publisher.
///
///     message ─ charge ─▶ taken │ beyond, and until when │ silence
///     answer  ─ pay ───▶ the bytes of what was sent
///
/// A new list keeps what was used by keys whose rates it leaves as they were.
///
/// - Complexity: O(1) for each message.
public struct Budgets: Sendable {
    /// What becomes of a message.
    public enum Charge: Hashable, Sendable {
        case taken
        /// Refused; there is room again after so many milliseconds, at least one.
        case beyond(retryAfterMilliseconds: UInt32)
    }

    /// Refusals of one key in a second that are said. Beyond them it hears nothing.
    public static let refusalsPerSecond = 1_000

    private struct Account: Sendable {
        var allowance: Allowance
        var operations: TokenBucket?
        var bytes: TokenBucket?
        var refusals = TokenBucket(perSecond: refusalsPerSecond)

        init(_ allowance: Allowance) {
            self.allowance = allowance
            operations = allowance.operationsPerSecond.map { TokenBucket(perSecond: $0) }
            bytes = allowance.bytesPerSecond.map { TokenBucket(perSecond: $0) }
        }

        mutating func adopt(_ new: Allowance) {
            if new.operationsPerSecond != allowance.operationsPerSecond {
                operations = new.operationsPerSecond.map { TokenBucket(perSecond: $0) }
            }
            if new.bytesPerSecond != allowance.bytesPerSecond {
                bytes = new.bytesPerSecond.map { TokenBucket(perSecond: $0) }
            }
            allowance = new
        }
    }

    /// At the place of their number; at 0 whoever is in no list.
    private var accounts: [Account] = [Account(.unlimited)]

    public init() {}

    /// Holds everybody to what a table says from now on.
    public mutating func follow(_ table: AccessTable) {
        while accounts.count < table.count { accounts.append(Account(.unlimited)) }
        for index in accounts.indices.dropFirst() {
            let number = PrincipalNumber(rawValue: UInt32(index))
            accounts[index].adopt(table.entry(of: number)?.allowance ?? .unlimited)
        }
    }

    private func index(of number: PrincipalNumber) -> Int {
        Int(number.rawValue) < accounts.count ? Int(number.rawValue) : 0
    }

    /// How many requests of a key may wait at one time; `nil`: what everybody may.
    public func waitingMax(of number: PrincipalNumber) -> Int? {
        accounts[index(of: number)].allowance.waitingMax
    }

    /// Takes a message, or says when there is room for one.
    public mutating func charge(
        _ number: PrincipalNumber, operations: Int, bytes: Int, now: Instant
    ) -> Charge {
        let index = index(of: number)
        guard accounts[index].allowance.hasRates else { return .taken }
        let wait = max(
            accounts[index].operations?.timeUntilSome(now: now) ?? .zero,
            accounts[index].bytes?.timeUntilSome(now: now) ?? .zero)
        guard wait == .zero else {
            return .beyond(retryAfterMilliseconds: Self.milliseconds(wait))
        }
        accounts[index].operations?.take(operations, now: now)
        accounts[index].bytes?.take(bytes, now: now)
        return .taken
    }

    /// Takes the bytes of an answer.
    public mutating func pay(_ number: PrincipalNumber, bytes: Int, now: Instant) {
        accounts[index(of: number)].bytes?.take(bytes, now: now)
    }

    /// Takes what a message turned out to be more than one operation.
    public mutating func pay(_ number: PrincipalNumber, operations: Int, now: Instant) {
        accounts[index(of: number)].operations?.take(operations, now: now)
    }

    /// Whether a refusal is said, or passed over in silence.
    public mutating func mayRefuse(_ number: PrincipalNumber, now: Instant) -> Bool {
        let index = index(of: number)
        guard accounts[index].refusals.timeUntilSome(now: now) == nil else { return false }
        accounts[index].refusals.take(1, now: now)
        return true
    }

    private static func milliseconds(_ duration: Duration) -> UInt32 {
        let (seconds, attoseconds) = duration.components
        let whole = UInt64(clamping: seconds).multipliedReportingOverflow(by: 1_000).partialValue
        return UInt32(clamping: whole + UInt64(clamping: attoseconds / 1_000_000_000_000_000) + 1)
    }
}
