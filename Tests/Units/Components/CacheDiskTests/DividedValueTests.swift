import CacheModel
import Testing

@testable import CacheDisk

/// Values that are longer than a record: in parts, and one again.
@Suite struct DividedValueTests {
    /// A value of that length in which no two parts are the same.
    static func value(_ byteCount: Int, _ salt: Int = 0) -> String {
        var text = ""
        var number = salt
        while text.utf8.count < byteCount {
            text += "\(number)."
            number += 1
        }
        return String(text.prefix(byteCount))
    }

    private static func expect(
        _ bench: inout DiskBench, _ key: String, _ value: String?, _ comment: Comment? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let found = bench.get(key)
        #expect(found == value, comment, sourceLocation: location)
    }

    @Test(arguments: [481, 928, 1_500, 2_400])
    func aLongValueComesBackFromTheTailAndFromItsSegments(byteCount: Int) {
        var bench = DiskBench()
        let value = Self.value(byteCount)
        let cause = bench.set("k", value)
        #expect(cause == nil)
        bench.tier.tick()
        Self.expect(&bench, "k", value)
        bench.settle()
        Self.expect(&bench, "k", value)
        #expect(bench.tier.statistics.dividedStores == 1)
        for number in 0..<12 { bench.set("other \(number)", Self.value(400, number)) }
        bench.settle()
        Self.expect(&bench, "k", value)
        Self.expect(&bench, "other 3", Self.value(400, 3))
    }

    @Test func whatIsStillBeingAppendedIsFound() {
        var bench = DiskBench()
        let value = Self.value(2_000)
        bench.set("k", value)
        Self.expect(&bench, "k", value)
        let holds = bench.tier.holds(bench.fingerprint("k"))
        #expect(holds)
        let count = bench.tier.entryCount
        #expect(count == 0)
    }

    @Test(arguments: ["store", "long store", "removal", "reset"])
    func whatComesInBetweenEndsTheStore(what: String) {
        for ticks in 0..<4 {
            var bench = DiskBench()
            bench.set("k", "old")
            bench.set("k", Self.value(2_000))
            for _ in 0..<ticks {
                bench.tier.tick()
                _ = bench.step()
            }
            var truth: String?
            switch what {
            case "store": truth = "new"
            case "long store": truth = Self.value(1_800, 500)
            default: truth = nil
            }
            if let truth { bench.set("k", truth) }
            if what == "removal" { bench.remove("k") }
            if what == "reset" { bench.tier.reset() }
            Self.expect(&bench, "k", truth)
            bench.settle()
            Self.expect(&bench, "k", truth)
            var later = bench.killed
            Self.expect(&later, "k", truth)
        }
    }

    @Test func aKilledDividedStoreLeavesTheNewValueOrNone() {
        var bench = DiskBench()
        bench.set("k", "old")
        bench.settle()
        let value = Self.value(2_400)
        bench.set("k", value)
        var isStored = false
        while !isStored {
            var later = bench.killed
            let found = later.get("k")
            #expect(found == nil || found == value)
            if !bench.step() { bench.tier.tick() }
            isStored = found == value
        }
    }

    @Test func everyRestartHasIt() {
        var bench = DiskBench()
        let value = Self.value(2_400)
        bench.set("k", value)
        bench.settle()
        var killed = bench.killed
        Self.expect(&killed, "k", value)
        // Sealed, so that it is known from footers.
        for number in 0..<8 { killed.set("other \(number)", Self.value(400, number)) }
        killed.settle()
        var sealed = killed.killed
        Self.expect(&sealed, "k", value)
        var again = sealed.killed
        Self.expect(&again, "k", value)
    }

    @Test func whileALongValueIsAppendedShortOnesHaveTheirRoom() {
        var bench = DiskBench()
        let values = [Self.value(2_400), Self.value(2_300, 77)]
        bench.set("a", values[0])
        bench.set("b", values[1])
        for number in 0..<3 {
            bench.tier.tick()
            let cause = bench.set("short \(number)", Self.value(300, number))
            #expect(cause == nil)
            _ = bench.step()
        }
        bench.settle()
        Self.expect(&bench, "a", values[0])
        Self.expect(&bench, "b", values[1])
        for number in 0..<3 { Self.expect(&bench, "short \(number)", Self.value(300, number)) }
    }

    @Test func aDamagedPartIsAMissForGood() {
        var bench = DiskBench()
        bench.set("k", Self.value(2_400))
        bench.settle()
        // So that no part is in the tail any more.
        for number in 0..<12 { bench.set("other \(number)", Self.value(400, number)) }
        bench.settle()
        let at = bench.geometry.segmentsOffset + 600
        bench.file[at] ^= 1
        Self.expect(&bench, "k", nil)
        #expect(bench.tier.statistics.damagedRecords == 1)
        bench.file[at] ^= 1
        Self.expect(&bench, "k", nil)
        var later = bench.killed
        Self.expect(&later, "k", nil)
    }

    @Test func whatChangesWhileItIsPutTogetherIsNotHandedOut() throws {
        var bench = DiskBench()
        bench.set("k", Self.value(2_400))
        bench.settle()
        for number in 0..<12 { bench.set("other \(number)", Self.value(400, number)) }
        bench.settle()
        guard
            case .reading(let ticket) = bench.tier.find(bench.fingerprint("k"))
        else {
            Issue.record("it is on disk")
            return
        }
        guard case .reading(ticket) = bench.tier.find(bench.fingerprint("k"))
        else {
            Issue.record("reads are joined")
            return
        }
        _ = bench.step()
        guard case .reading(ticket) = bench.tier.find(bench.fingerprint("k"))
        else {
            Issue.record("while parts are read, too")
            return
        }
        bench.set("k", "new")
        bench.settle()
        switch bench.answer(to: ticket) {
        case .some(nil): break
        default: Issue.record("it was handed out, or not answered")
        }
        Self.expect(&bench, "k", "new")
        let bytes = bench.tier.reads.byteCount
        #expect(bytes == 0)
    }

    @Test func valuesOfAnyLengthLiveThroughReclaimingOrAreMisses() {
        var bench = DiskBench()
        var truth: [String: String] = [:]
        var found = 0
        for number in 0..<600 {
            let key = "key \(number % 17)"
            let value = Self.value(number % 3 == 0 ? 500 + number % 900 : number % 400, number)
            truth[key] = bench.set(key, value) == nil ? value : nil
            bench.settle()
            let asked = "key \(number * 7 % 17)"
            if let value = bench.get(asked) {
                found += 1
                #expect(value == truth[asked])
            }
        }
        #expect(found > 200)
        #expect(bench.tier.statistics.reclaimedSegments > 20)
        #expect(bench.tier.statistics.dividedStores > 150)
    }

    @Test func whatIsUsedIsStoredAgainWhenItsPartsAreReclaimed() {
        var bench = DiskBench()
        let value = Self.value(1_400)
        bench.set("k", value)
        bench.settle()
        for number in 0..<300 {
            Self.expect(&bench, "k", value, "after \(number)")
            bench.set("other \(number)", Self.value(200, number))
            bench.settle()
        }
        #expect(bench.tier.statistics.reclaimedSegments > 10)
        #expect(bench.tier.statistics.movedRecords > 2)
    }

    @Test func decliningATooLargeValueRemovesTheOldOne() {
        var bench = DiskBench()
        bench.set("k", "old")
        let cause = bench.set("k", Self.value(6_200))
        #expect(cause == .tooLarge)
        Self.expect(&bench, "k", nil)
        bench.settle()
        var later = bench.killed
        Self.expect(&later, "k", nil)
    }

    @Test func anEndInOrderKeepsWhatTheTailCanTake() {
        var bench = DiskBench()
        let value = Self.value(900)
        bench.set("k", value)
        bench.tier.close(DiskBench.checkpoint, calendar: 0)
        bench.settle()
        var later = bench.killed
        Self.expect(&later, "k", value)
    }

    /// The disk stands still, and the tail is full but for the end of a slot: what waits is not
    /// tried again and again.
    @Test func closingDoesNotWaitForAStalledDisk() throws {
        var bench = DiskBench()
        bench.set("k", Self.value(2_000))
        for number in 0..<40 { bench.set("short \(number)", Self.value(90, number)) }
        let isUrgent = bench.tier.hasDueWork
        let freeCount = bench.tier.log.tail.freeCount
        #expect(freeCount == 0)
        // Else the end would never come.
        try #require(!isUrgent)
        bench.tier.close(DiskBench.checkpoint, calendar: 0)
        #expect(bench.tier.state == .closing)
    }

    @Test func aListSaysOnlyWhatCanBe() {
        var list = PartList()
        list.append(PartPlace(segment: SegmentNumber(3), offset: 64, byteCount: 100))
        list.append(PartPlace(segment: SegmentNumber(4), offset: 32, byteCount: 7))
        let bytes = list.encoded
        #expect(bytes.withUnsafeBytes { PartList($0) } == list)
        for count in 0..<bytes.count {
            #expect(Array(bytes.prefix(count)).withUnsafeBytes { PartList($0) } == nil)
        }
        // Length, segment, offset, byte count.
        for (at, value) in [(0, UInt8(108)), (8, 0), (16, 65), (20, 0), (39, 255)] {
            var damaged = bytes
            damaged[at] = value
            #expect(damaged.withUnsafeBytes { PartList($0) } == nil, "byte \(at)")
        }
    }
}
