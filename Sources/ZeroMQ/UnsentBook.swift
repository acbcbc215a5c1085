/// What each peer of a ROUTER has not taken yet of the long frames that it was sent.
///
/// A high-water mark counts messages, whatever their length: thousands of long ones are gigabytes.
/// Ask ``hasRoom(for:)`` before a long frame is sent, and count it with ``account(of:)``.
///
/// - Complexity: O(1); now and then O(peers) to forget who has taken everything.
public struct UnsentBook<Peer: Hashable & Sendable>: ~Copyable {
    private let bytesMax: Int
    private var accounts: [Peer: UnsentBytes] = [:]
    private var peersAtNextLook = 64

    /// - Parameter bytesMax: for each peer. One frame may go beyond it.
    public init(bytesMax: Int) {
        precondition(bytesMax > 0, "somebody is to be sent something")
        self.bytesMax = bytesMax
    }

    /// Whether a peer may be sent one more long frame.
    public func hasRoom(for peer: Peer) -> Bool {
        accounts[peer].map { $0.value < bytesMax } ?? true
    }

    /// Where a frame for this peer is to be counted.
    public mutating func account(of peer: Peer) -> UnsentBytes {
        if let known = accounts[peer] { return known }
        if accounts.count >= peersAtNextLook {
            accounts = accounts.filter { $0.value.value > 0 }
            peersAtNextLook = max(64, 2 * accounts.count)
        }
        let account = UnsentBytes()
        accounts[peer] = account
        return account
    }

    /// How many peers are kept in mind.
    var peerCount: Int { accounts.count }
}
