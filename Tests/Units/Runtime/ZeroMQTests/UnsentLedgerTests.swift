import Testing

@testable import ZeroMQ

/// What the holders of keys have not taken yet.
@Suite struct UnsentLedgerTests {
    private typealias Ledger = UnsentLedger<Int, String>

    private static func ledger(seed: UInt64 = 7) -> Ledger {
        Ledger(
            Ledger.Limits(peerBytesMax: 100, holderBytesMax: 200, allBytesMax: 400), seed: seed)
    }

    private static func frame(_ weight: Int, _ account: UnsentBytes) -> Frame {
        let byte = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 16)
        byte.storeBytes(of: 7, as: UInt8.self)
        return Frame(
            owning: UnsafeRawBufferPointer(start: byte, count: 1), in: byte, countedIn: account,
            as: weight)
    }

    private static func mayTake(_ peer: Int, _ holder: String?, in ledger: inout Ledger) -> Bool {
        ledger.hasRoom(for: peer, of: holder)
    }

    @Test func aFrameCountsWithItsWeightUntilItIsReleased() {
        var ledger = Self.ledger()
        let account = ledger.account(of: 1, of: "a")
        do {
            let frame = Self.frame(90, account)
            let (all, count) = (ledger.byteCount, frame.bytes.count)
            #expect(count == 1 && account.value == 90 && all == 90)
        }
        let left = ledger.byteCount
        #expect(account.value == 0 && left == 0)
    }

    @Test func oneKeyHasNoMoreHoweverManyConnectionsItHas() {
        var ledger = Self.ledger()
        var frames: [UnsentBytes] = []
        for peer in 0..<4 {
            #expect(Self.mayTake(peer, "a", in: &ledger) == (peer < 3))
            guard peer < 3 else { continue }
            let account = ledger.account(of: peer, of: "a")
            account.add(70)
            frames.append(account)
        }
        #expect(Self.mayTake(9, "b", in: &ledger) && Self.mayTake(9, nil, in: &ledger))
        frames[0].subtract(70)
        #expect(Self.mayTake(3, "a", in: &ledger))
    }

    @Test func aConnectionHasItsBoundToo() {
        var ledger = Self.ledger()
        ledger.account(of: 1, of: "a").add(100)
        #expect(!Self.mayTake(1, "a", in: &ledger) && Self.mayTake(2, "a", in: &ledger))
    }

    @Test func aPeerWithoutUnsentBytesIsServedWhateverOthersHold() {
        var ledger = Self.ledger()
        for peer in 0..<4 { ledger.account(of: peer, of: nil).add(100) }
        ledger.account(of: 5, of: "b").add(1)
        #expect(Self.mayTake(6, nil, in: &ledger) && Self.mayTake(6, "c", in: &ledger))
        #expect(!Self.mayTake(5, "b", in: &ledger) && !Self.mayTake(6, "b", in: &ledger))
    }

    @Test func aTightLedgerIsCheckedUntilEveryPeerHasSpace() {
        var ledger = Self.ledger()
        let account = ledger.account(of: 1, of: "a")
        account.add(100)
        var isTight = [ledger.isTight]
        #expect(!Self.mayTake(1, "a", in: &ledger))
        ledger.lookAgain()
        isTight.append(ledger.isTight)
        account.subtract(1)
        ledger.lookAgain()
        isTight.append(ledger.isTight)
        #expect(isTight == [false, true, false])
    }

    @Test func accountsWithoutUnsentBytesAreForgotten() {
        var ledger = Self.ledger()
        let waiting = Self.frame(100, ledger.account(of: -1, of: "x"))
        for peer in 0..<10_000 { _ = Self.frame(5, ledger.account(of: peer, of: "\(peer)")) }
        let counts = [ledger.peerCount, ledger.holderCount]
        #expect(counts.allSatisfy { $0 < 200 })
        #expect(!Self.mayTake(-1, "x", in: &ledger))
        let count = waiting.bytes.count
        #expect(count == 1)
    }

    /// Frames of two peers in turn, the long ones of one who reads nothing: she cannot have the
    /// other's counted in their place.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func shortFramesAreChargedToTheirReceiverByBytes(seed: UInt64) {
        var ledger = Self.ledger(seed: seed)
        let bytes = [15_000, 1_500]
        var charged = [0, 0]
        for _ in 0..<20_000 {
            for peer in 0..<2 { charged[peer] += ledger.weight(ofShort: bytes[peer]) ?? 0 }
        }
        #expect((285_000_000...325_000_000).contains(charged[0]))
        #expect((20_000_000...36_000_000).contains(charged[1]))
    }

    @Test func oneOfManyShortFramesIsCounted() {
        var ledger = Self.ledger()
        var counted = 0
        for _ in 0..<100_000 where ledger.weight(ofShort: 64) != nil { counted += 1 }
        #expect((300...480).contains(counted), "one of 32 KiB, and a frame takes 128 bytes")
    }
}
