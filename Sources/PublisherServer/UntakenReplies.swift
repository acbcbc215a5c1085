import CacheAccess
import PublisherCore
import ZeroMQ

/// Replies that were sent and that their peers have not taken yet: libzmq holds them. Bounded for
/// each connection, for each key over whatever many of these, and for everybody.
///
/// Short ones are not counted: of those a connection has a bounded number.
struct UntakenReplies: ~Copyable {
    private var ledger: Ledger

    typealias Ledger = UnsentLedger<PeerID, PrincipalNumber>

    init(_ limits: Ledger.Limits = PublisherServerLimits.untaken) {
        ledger = Ledger(limits)
    }

    /// A frame with a copy of `bytes`, counted until libzmq lets go of it.
    ///
    /// - Returns: `nil` if there is no room for it.
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
