import CacheAccess
import PublisherCore
import ZeroMQ

/// Replies that were sent and that their peers have not taken yet: libzmq holds them. Bounded for
/// each key, over whatever many connections; where nobody is asked who they are, for each of these.
///
/// Short ones are not counted: of those a connection has a bounded number.
struct UntakenReplies: ~Copyable {
    private var ofKeys = UnsentBook<PrincipalNumber>(
        bytesMax: PublisherServerLimits.untakenOfKeyBytesMax)
    private var ofPeers = UnsentBook<PeerID>(bytesMax: PublisherServerLimits.untakenBytesMax)

    /// A frame with a copy of `bytes`, counted until libzmq lets go of it.
    ///
    /// - Returns: `nil` if there is no room for it.
    mutating func frame(
        _ bytes: [UInt8], to peer: PeerID, of principal: PrincipalNumber
    ) -> Frame? {
        guard bytes.count >= PublisherServerLimits.countedReplyBytesMin else {
            return Frame(copying: bytes)
        }
        guard principal != .unknown else {
            guard ofPeers.hasRoom(for: peer) else { return nil }
            return Frame(copying: bytes, countedIn: ofPeers.account(of: peer))
        }
        guard ofKeys.hasRoom(for: principal) else { return nil }
        return Frame(copying: bytes, countedIn: ofKeys.account(of: principal))
    }
}
