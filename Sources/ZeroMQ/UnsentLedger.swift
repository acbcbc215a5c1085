/// What was sent and not taken yet: by each peer of a ROUTER, by all peers of one holder of a key,
/// and by everybody.
///
/// A high-water mark counts messages of one connection, whatever their length: a thousand
/// connections of a key whose holder reads nothing are gigabytes.
///
///     weight(of:) ── nil: not counted ──────────────▶ send
///         │ so much                                    ▲
///         └─▶ hasRoom(for:of:) ─▶ account(of:of:) ─────┘ libzmq lets go of it: it counts no more
///
/// Long frames are counted each. Counting costs about as much as sending a short one, so of those
/// one now and then is counted, and stands for all that were sent since the one before: which it
/// is depends on chance alone, so that everybody is charged by the bytes that were sent to them,
/// and nobody can arrange that others are. libzmq sends in order: once it lets go of the one, what
/// was sent to that peer before has left, too.
///
/// - Complexity: O(1); now and then O(peers).
public struct UnsentLedger<Peer: Hashable & Sendable, Holder: Hashable & Sendable>: ~Copyable {
    /// Bytes; one frame, or what a counted one stands for, may go beyond each.
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
    /// Bytes of short frames that no counted one stands for yet, and with how many one is.
    private var passedBytes = 0
    private var dueBytes = 0
    /// Whether somebody had no room when it was last looked for: then it is for every frame, the
    /// short ones too. ``lookAgain()`` ends it.
    public private(set) var isTight = false

    /// - Parameter seed: of the chance by which short frames are counted; nobody outside knows it.
    public init(
        _ limits: Limits, seed: UInt64 = UInt64.random(in: 0...UInt64.max)
    ) {
        self.limits = limits
        chance = seed
        drawNext()
    }

    /// As how much a short frame is to be counted; `nil`: not at all.
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

    /// Whether a peer may be sent one more frame. Whoever has taken everything always may, as far
    /// as others are concerned.
    ///
    /// - Parameter holder: of the peer's key; `nil`: it has none, and stands for itself.
    public mutating func hasRoom(for peer: Peer, of holder: Holder?) -> Bool {
        let own = peers[peer]?.value ?? 0
        let held = holder.map { holders[$0]?.value ?? 0 } ?? own
        let isRoom =
            own < limits.peerBytesMax && held < limits.holderBytesMax
            && (all.value < limits.allBytesMax || held == 0)
        if !isRoom { isTight = true }
        return isRoom
    }

    /// Where a frame for this peer is to be counted.
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

    /// Looks whether somebody still has no room.
    ///
    /// - Complexity: O(peers) if somebody had none.
    public mutating func lookAgain() {
        guard isTight else { return }
        isTight =
            all.value >= limits.allBytesMax
            || holders.values.contains { $0.value >= limits.holderBytesMax }
            || peers.values.contains { $0.value >= limits.peerBytesMax }
    }

    /// How many are kept in mind, and what everybody has not taken.
    var peerCount: Int { peers.count }
    var holderCount: Int { holders.count }
    var byteCount: Int { all.value }
}
