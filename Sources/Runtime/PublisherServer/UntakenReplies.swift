import CacheWire
import CacheAccess
import PublisherCore
import ZeroMQ

/// Replies that were sent and that their peers have not taken yet: libzmq holds them. Bounded for
/// each connection, for each key over all its connections, and for all together.
///
/// Short replies are not counted: a connection has a bounded number of those.
struct UntakenReplies: ~Copyable {
    private var ledger: Ledger

    typealias Ledger = UnsentLedger<PeerID, PrincipalNumber>

    init(_ limits: Ledger.Limits = PublisherServerLimits.untaken) {
        ledger = Ledger(limits)
    }

    /// A frame with a copy of `bytes`, counted until libzmq releases it.
    ///
    /// - Returns: `nil` if a bound is reached.
    mutating func frame(
        _ bytes: [UInt8], to peer: PeerID, of principal: PrincipalNumber
    ) -> Frame? {
        guard bytes.count >= PublisherServerLimits.countedReplyBytesMin else {
            return Frame(copying: bytes)
        }
        let holder = principal == .unknown ? nil : principal
        guard ledger.hasRoom(for: peer, of: holder) else { return nil }
        return Frame(copying: bytes, countedIn: ledger.account(of: peer, of: holder))
    }
}
