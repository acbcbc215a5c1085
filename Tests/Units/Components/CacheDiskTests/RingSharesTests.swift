import ByteCoding
import CacheModel
import Testing

@testable import CacheDisk

/// How much of the ring a namespace may take.
@Suite struct RingSharesTests {
    private static let value = String(repeating: "v", count: 100)

    private static func bench() -> DiskBench { DiskBench(DiskCleaningTests.geometry) }

    /// Stores keys of a namespace until one is declined.
    ///
    /// - Returns: how many were appended.
    @discardableResult
    private static func fill(_ bench: inout DiskBench, _ namespace: String) -> Int {
        for number in 0..<1_000 {
            if bench.set("fill \(number)", value, in: namespace) == .overShare { return number }
            bench.settle()
        }
        return 1_000
    }

    private static func holds(_ image: [UInt8], _ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return image.indices.dropLast(bytes.count).contains { from in
            image[from] == bytes[0] && image[from..<from + bytes.count].elementsEqual(bytes)
        }
    }

    // MARK: Nothing

    @Test func nothingOfANamespaceWithoutAShareReachesTheFile() {
        var bench = Self.bench()
        bench.setShare(0, of: "secret")
        let causes = [
            bench.set("a", "classified", in: "secret"),
            bench.set("b", String(repeating: "classified", count: 150), in: "secret"),
        ]
        bench.set("a", "public")
        bench.settle()
        #expect(causes == [.overShare, .overShare])
        #expect(bench.tier.statistics.storesShed == 0 && bench.tier.declinedCount == 2)
        #expect(!Self.holds(bench.image, "classified") && Self.holds(bench.image, "public"))
        let (secret, other) = (bench.get("a", in: "secret"), bench.get("a"))
        #expect(secret == nil && other == "public")
    }

    @Test(arguments: [true, false])
    func anOverwrittenValueDoesNotComeBackIfItsStoreWasDeclined(isKilled: Bool) {
        var bench = Self.bench()
        bench.set("a", "old", in: "n")
        bench.settle()
        bench.setShare(0, of: "n")
        let before = bench.get("a", in: "n")
        #expect(before == "old", "what lies there is the key's until it is stored anew")
        #expect(bench.set("a", "new", in: "n") == .overShare)
        if isKilled {
            bench = DiskBench(recovering: bench.image, DiskCleaningTests.geometry)
            bench.settle()
        }
        let after = bench.get("a", in: "n")
        #expect(after == nil)
    }

    @Test func whatOnlyTheDiskHasStaysWhereItCannotBeReplaced() {
        var bench = Self.bench()
        bench.set("a", "old", in: "n")
        bench.settle()
        let long = bench.replace("a", String(repeating: "long", count: 100_000), in: "n")
        let first = bench.get("a", in: "n")
        #expect(long == .tooLarge && first == "old")
        let cause = bench.replace("a", "new", in: "n")
        bench.settle()
        let second = bench.get("a", in: "n")
        #expect(cause == nil && second == "new")
        bench.setShare(0, of: "n")
        let declined = bench.replace("a", "newer", in: "n")
        bench.settle()
        let third = bench.get("a", in: "n")
        #expect(declined == .overShare && third == "new")
    }

    @Test func aWaitingDividedValueIsDroppedWhenItsShareIsRemoved() {
        var bench = Self.bench()
        let long = String(repeating: "long", count: 400)
        #expect(bench.set("a", long, in: "n") == nil)
        bench.setShare(0, of: "n")
        bench.settle()
        let found = bench.get("a", in: "n")
        #expect(found == nil && bench.tier.log.stores.isEmpty && bench.promised("n") == 0)
    }

    // MARK: A share

    @Test func aFullShareDeclinesAndOthersGoOn() {
        var bench = Self.bench()
        bench.setShare(10, of: "n")
        let count = Self.fill(&bench, "n")
        let bound = DiskCleaningTests.geometry.ringBytes / 10
        let taken = bench.counted("n")
        #expect(count > 20 && taken <= bound && taken > bound - 200)
        #expect(bench.set("other", "value") == nil)
        for number in 0..<count {
            let found = bench.get("fill \(number)", in: "n")
            #expect(found == Self.value, "\(number)")
        }
    }

    @Test func aDividedValueIsDeclinedOrAppendedAsAWhole() {
        var bench = Self.bench()
        bench.setShare(10, of: "n")
        let long = String(repeating: "long", count: 400)
        var appended = 0
        for number in 0..<10 where bench.set("long \(number)", long, in: "n") == nil {
            appended += 1
        }
        bench.settle()
        let (taken, promised) = (bench.counted("n"), bench.promised("n"))
        #expect(taken == promised && taken <= DiskCleaningTests.geometry.ringBytes / 10)
        #expect(appended > 0 && appended < 10)
        for number in 0..<appended {
            let found = bench.get("long \(number)", in: "n")
            #expect(found == long)
        }
    }

    @Test func aRaisedShareIsThereAtOnce() {
        var bench = Self.bench()
        bench.setShare(10, of: "n")
        Self.fill(&bench, "n")
        bench.setShare(100, of: "n")
        #expect(bench.set("more", "value", in: "n") == nil)
    }

    @Test func whatWasWrittenBeforeItsShareWasBoundedCounts() {
        var bench = Self.bench()
        for number in 0..<100 {
            bench.set("k\(number)", Self.value, in: "n")
            bench.settle()
        }
        bench.setShare(10, of: "n")
        #expect(bench.counted("n") > DiskCleaningTests.geometry.ringBytes / 10)
        #expect(bench.set("more", "value", in: "n") == .overShare)
    }

    // MARK: Reclaiming

    /// Replaces one key of the other namespace until the ring has gone round so many times.
    private static func replaceOthers(_ bench: inout DiskBench, rounds: Int) {
        let end =
            bench.tier.statistics.appendedBytes
            + UInt64(rounds * DiskCleaningTests.geometry.ringBytes)
        while bench.tier.statistics.appendedBytes < end {
            bench.set("busy", value + value)
            bench.settle()
        }
    }

    @Test func whatIsMovedCountsOnceAndStays() {
        var bench = Self.bench()
        bench.setShare(20, of: "n")
        for number in 0..<70 {
            bench.set("k\(number)", Self.value, in: "n")
            bench.settle()
        }
        let before = bench.counted("n")
        Self.replaceOthers(&bench, rounds: 3)
        #expect(bench.tier.statistics.movedRecords > 70)
        #expect(bench.counted("n") == before)
        for number in 0..<70 {
            let found = bench.get("k\(number)", in: "n")
            #expect(found == Self.value, "\(number)")
        }
    }

    @Test func aLoweredShareIsReachedAsTheRingGoesRound() {
        var bench = Self.bench()
        for number in 0..<150 {
            bench.set("k\(number)", Self.value, in: "n")
            bench.settle()
        }
        bench.setShare(5, of: "n")
        Self.replaceOthers(&bench, rounds: 2)
        #expect(bench.counted("n") <= DiskCleaningTests.geometry.ringBytes / 20)
    }

    /// Nothing else is written, so the ring does not go round by itself.
    @Test func aShareThatIsFullOfWhatWasReplacedGetsRoomAgain() {
        var bench = Self.bench()
        bench.setShare(20, of: "n")
        for number in 0..<60 {
            bench.set("still \(number)", Self.value)
            bench.settle()
        }
        var (appended, declined) = (0, 0)
        for number in 0..<2_000 {
            let cause = bench.set("hot \(number % 5)", "\(number)" + Self.value, in: "n")
            if cause == nil { appended += 1 } else { declined += 1 }
            bench.settle()
        }
        #expect(declined > 0 && appended > 500, "\(appended) appended, \(declined) declined")
        #expect(bench.tier.statistics.writtenBytes < 3 * 2_000 * 180)
        for number in 0..<60 {
            let found = bench.get("still \(number)")
            #expect(found == Self.value, "cleaning forgets nothing")
        }
    }

    /// All in the ring is shown: cleaning would give no room.
    @Test func aShareThatIsFullOfWhatIsShownCleansNothing() {
        var bench = Self.bench()
        bench.setShare(20, of: "n")
        let count = Self.fill(&bench, "n")
        for number in 0..<2_000 {
            bench.set("new \(number)", Self.value, in: "n")
            bench.settle()
        }
        #expect(count > 50 && bench.tier.statistics.reclaimedSegments == 0)
    }

    // MARK: After a restart

    @Test func aRestartFindsWhatEachNamespaceTakes() {
        var bench = Self.bench()
        let long = String(repeating: "long", count: 300)
        for number in 0..<60 {
            bench.set("k\(number)", Self.value, in: number % 2 == 0 ? "n" : "m")
            if number % 20 == 0 { bench.set("long \(number)", long, in: "n") }
            bench.settle()
        }
        var next = bench.killed
        let counted = ["n", "m", "none"].map { bench.counted($0) }
        let found = ["n", "m", "none"].map { next.counted($0) }
        #expect(counted == found && counted[0] > counted[1] && counted[1] > 0 && counted[2] == 0)
        next.setShare(5, of: "n")
        #expect(next.set("more", "value", in: "n") == .overShare)
        var third = next.killed
        #expect(third.counted("n") == counted[0], "also of segments that another run sealed")
        Self.replaceOthers(&third, rounds: 2)
        third.setShare(0, of: "n")
        Self.replaceOthers(&third, rounds: 2)
        #expect(third.counted("n") == 0)
    }

    /// Releases before wrote no tags.
    @Test func recordsOfAFormerFormatCountForNoNamespace() {
        var shares = RingShares(segmentCount: 3)
        let account = shares.account(of: 77)
        shares.recover(1_000, NamespaceTag(in: 0xF_FFFF_FFFF), at: 1)
        #expect(shares.taken(account) == 0)
        shares.setBound(100, of: account)
        #expect(!shares.mayMove(101, leaving: 101, account, from: 1))
        #expect(shares.mayMove(100, leaving: 100, account, from: 1))
    }

    @Test func whatSharesATagCountsForBothUntilItIsFreed() {
        var shares = RingShares(segmentCount: 3)
        let (one, two) = (shares.account(of: 5 << 49), shares.account(of: 5 << 49 | 1))
        shares.recover(1_000, NamespaceTag(room: 5 << 49), at: 1)
        shares.charge(10, two)
        #expect(shares.taken(one) == 1_000 && shares.taken(two) == 1_010)
        shares.noteMoved(400, one, from: 1)
        shares.charge(400, one)
        #expect(shares.taken(one) == 1_000 && shares.taken(two) == 610)
        shares.free(1)
        #expect(shares.taken(one) == 400 && shares.taken(two) == 10)
    }

    // MARK: Bytes

    @Test func aTagIsTheUpperFifteenBitsOfAWord() {
        let tag = NamespaceTag(room: 0x1234_0000_0000_0000)
        #expect(tag.rawValue == 0x091A && tag.bits == 0x1234_0000_0000_0000)
        #expect(NamespaceTag(in: tag.bits | 0x0000_FFFF_FFFF_FFFF) == tag)
        #expect(NamespaceTag(room: 0).rawValue == 1, "of the default namespace, as of any")
    }

    @Test func aPartHasItsFingerprintAndItsTagInOneWord() {
        let seal = RecordSeal(tier: 9)
        let writing = RecordWriting(seal: seal, segment: SegmentNumber(3))
        let fingerprint = Fingerprint(rawValue: 0xA_BCDE_F012)
        var bytes = [UInt8](repeating: 0, count: 24)
        [UInt8](repeating: 7, count: 8).withUnsafeBytes { value in
            bytes.withUnsafeMutableBytes {
                writing.write(
                    value, of: fingerprint, NamespaceTag(room: 0x1234 << 48), into: $0, at: 64)
            }
        }
        #expect(bytes[8..<16].elementsEqual([0x12, 0xF0, 0xDE, 0xBC, 0x0A, 0, 0x34, 0x12]))
        let reading = RecordReading(seal: seal, segment: SegmentNumber(3))
        bytes.withUnsafeBytes {
            guard case .part(fingerprint, let tag, let value, 24)? = reading.record($0, at: 64)
            else {
                Issue.record("it is a part")
                return
            }
            #expect(tag.rawValue == 0x091A && value.allSatisfy { $0 == 7 })
        }
    }

    @Test func aFooterEntryHasItsTagAboveItsLengthClass() {
        var footer = SegmentFooter()
        let entry = SegmentFooter.Entry(
            fingerprint: Fingerprint(rawValue: 0xA_BCDE_F012), kind: .entry,
            lengthClass: .greatest, offset: 32, tag: NamespaceTag(room: 0xFFFE << 48))
        footer.append(entry)
        let bytes = footer.encoded(SegmentNumber(3), end: 64, seal: RecordSeal(tier: 9))
        #expect(bytes[0..<8].elementsEqual([0x12, 0xF0, 0xDE, 0xBC, 0x0A, 0xF9, 0xFF, 0xFF]))
        let found = bytes.withUnsafeBytes { SegmentFooter.entry($0, 0) }
        #expect(found == entry)
    }
}
