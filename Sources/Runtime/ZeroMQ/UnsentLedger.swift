/// Bytes that were sent and not taken yet: by each peer of a ROUTER, by all peers of one holder of
/// a key, and by all peers.
///
/// A high-water mark counts messages of one connection, whatever their length: a thousand
/// connections of one key that read nothing are gigabytes.
///
///     weight(of:) ── nil: not counted ──────────────▶ send
///         │ so much                                    ▲
///         └─▶ hasRoom(for:of:) ─▶ account(of:of:) ─────┘ libzmq lets go of it: it counts no more
///
/// Each long frame is counted. Counting costs about as much as sending a short frame, so only a
/// short frame now and then is counted, and stands for all since the one before. Chance alone
/// decides which one: so each peer is charged by the bytes that were sent to it, and no peer can
/// have others charged instead. libzmq sends in order: once it releases the counted frame, the
/// frames that were sent to that peer before have left, too.
///
/// - Complexity: O(1); now and then O(peers).
public struct UnsentLedger<Peer: Hashable & Sendable, Holder: Hashable & Sendable>: ~Copyable {
    /// Bytes; one frame, or the frames that a counted one stands for, may exceed each.
    public struct Limits: Sendable {
        var peerBytesMax: Int
        var holderBytesMax: Int
        var allBytesMax: Int

        public init(peerBytesMax: Int, holderBytesMax: Int, allBytesMax: Int) {
            precondition(
                0 < peerBytesMax && peerBytesMax <= holderBytesMax && holderBytesMax <= allBytesMax,
                "a part is no more than the whole")
            self.peerBytesMax = peerBytesMax
            self.holderBytesMax = holderBytesMax
            self.allBytesMax = allBytesMax
        }
    }

    private let limits: Limits
    private var peers: [Peer: UnsentBytes] = [:]
    private var holders: [Holder: UnsentBytes] = [:]
    private let all = UnsentBytes()
    private var accountsAtNextLook = 64
    private var chance: UInt64
    /// Bytes of short frames since the last counted one, and the number at which the next is
    /// counted.
    private var passedBytes = 0
    private var dueBytes = 0
    /// Whether a peer had no space at the last check. Then every frame is checked, the short ones
    /// too, until ``lookAgain()`` finds space.
    public private(set) var isTight = false

    /// - Parameter seed: of the chance by which short frames are counted; it is kept secret.
    public init(
        _ limits: Limits, seed: UInt64 = UInt64.random(in: 0...UInt64.max)
    ) {
        self.limits = limits
        chance = seed
        drawNext()
    }

    /// The weight with which a short frame is counted; `nil`: it is not counted.
    public mutating func weight(ofShort byteCount: Int) -> Int? {
        passedBytes += byteCount + ZeroMQLimits.frameOverheadBytes
        return passedBytes < dueBytes ? nil : takeWeight()
    }

    private mutating func takeWeight() -> Int {
        defer {
            passedBytes = 0
            drawNext()
        }
        return passedBytes
    }

    /// SplitMix64.
    private mutating func drawNext() {
        chance &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (chance ^ (chance >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        dueBytes = 1 + Int((mixed ^ (mixed >> 31)) % UInt64(2 * ZeroMQLimits.bytesPerCountMean))
    }

    /// Whether a peer may be sent one more frame. A holder that has taken everything always may,
    /// whatever other holders have not taken.
    ///
    /// - Parameter holder: of the peer's key; `nil`: the peer has no key, and counts by itself.
    public mutating func hasRoom(for peer: Peer, of holder: Holder?) -> Bool {
        let own = peers[peer]?.value ?? 0
        let held = holder.map { holders[$0]?.value ?? 0 } ?? own
        let isRoom =
            own < limits.peerBytesMax && held < limits.holderBytesMax
            && (all.value < limits.allBytesMax || held == 0)
        if !isRoom { isTight = true }
        return isRoom
    }

    /// The account that a frame for this peer is counted in.
    public mutating func account(of peer: Peer, of holder: Holder?) -> UnsentBytes {
        if let known = peers[peer] { return known }
        if peers.count >= accountsAtNextLook {
            // In this order: a holder that is forgotten has no peer that is kept.
            holders = holders.filter { $0.value.value > 0 }
            peers = peers.filter { $0.value.value > 0 }
            accountsAtNextLook = max(64, 2 * peers.count)
        }
        let account = UnsentBytes(within: [all] + (holder.map { [self.holder($0)] } ?? []))
        peers[peer] = account
        return account
    }

    private mutating func holder(_ holder: Holder) -> UnsentBytes {
        let account = holders[holder] ?? UnsentBytes(within: [])
        holders[holder] = account
        return account
    }

    /// Checks whether a peer still has no space.
    ///
    /// - Complexity: O(peers) if one had none.
    public mutating func lookAgain() {
        guard isTight else { return }
        isTight =
            all.value >= limits.allBytesMax
            || holders.values.contains { $0.value >= limits.holderBytesMax }
            || peers.values.contains { $0.value >= limits.peerBytesMax }
    }

    /// The numbers of peers and holders with an account, and the untaken bytes of all peers.
    var peerCount: Int { peers.count }
    var holderCount: Int { holders.count }
    var byteCount: Int { all.value }
}
