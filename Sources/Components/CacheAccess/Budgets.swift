public import CacheModel

/// The rate limits of each key, and how much of them is used: of one shard, or of the publisher.
///
///     message ─ charge ─▶ taken │ beyond, and until when │ silence
///     answer  ─ pay ───▶ the bytes of what was sent
///
/// A new list keeps the usage of keys with unchanged rates.
///
/// - Complexity: O(1) for each message.
public struct Budgets: Sendable {
    /// The outcome of a charge.
    public enum Charge: Hashable, Sendable {
        case taken
        /// Refused; a retry is possible after so many milliseconds, at least one.
        case beyond(retryAfterMilliseconds: UInt32)
    }

    /// Refusals of one key in a second that are answered. Further ones are silent.
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

    /// At the index of their number; at 0 all keys that are in no list.
    private var accounts: [Account] = [Account(.unlimited)]

    public init() {}

    /// Applies the rates of a table from now on.
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

    /// How many requests of a key may wait at one time; `nil`: the common bound.
    public func waitingMax(of number: PrincipalNumber) -> Int? {
        accounts[index(of: number)].allowance.waitingMax
    }

    /// Charges a message, or tells when to retry.
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

    /// Charges the bytes of an answer.
    public mutating func pay(_ number: PrincipalNumber, bytes: Int, now: Instant) {
        accounts[index(of: number)].bytes?.take(bytes, now: now)
    }

    /// Charges the operations of a message beyond the first, once they are known.
    public mutating func pay(_ number: PrincipalNumber, operations: Int, now: Instant) {
        accounts[index(of: number)].operations?.take(operations, now: now)
    }

    /// Whether a refusal is answered.
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

/// A rate, of which a second's worth may come at once.
///
/// The bucket is the moment at which it would be full again [1]. Something is taken if anything is
/// left, and paid in full: so nothing is too large to be asked, and the rate holds in the long run.
///
/// [1] The generic cell rate algorithm, ITU-T I.371.
struct TokenBucket: Hashable, Sendable {
    private static let secondNanoseconds: UInt64 = 1_000_000_000

    let perSecond: Int
    private var fullAt = Instant(nanoseconds: 0)

    init(perSecond: Int) {
        precondition(
            (1...Allowance.amountMax).contains(perSecond), "a rate is above zero, and a rate")
        self.perSecond = perSecond
    }

    /// How long nothing is left; `nil` if something is.
    func timeUntilSome(now: Instant) -> Duration? {
        let emptyAbove = now.advanced(by: .seconds(1))
        return fullAt < emptyAbove ? nil : fullAt.elapsed(since: emptyAbove) + .nanoseconds(1)
    }

    /// Takes so many of what there is, and of what there will be.
    mutating func take(_ count: Int, now: Instant) {
        let (nanoseconds, overflow) = UInt64(count).multipliedReportingOverflow(
            by: Self.secondNanoseconds)
        let time = overflow ? UInt64(Int64.max) : nanoseconds / UInt64(perSecond)
        fullAt = max(fullAt, now).advanced(by: .nanoseconds(Int64(clamping: time)))
    }
}
