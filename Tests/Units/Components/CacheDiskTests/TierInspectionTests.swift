import CacheModel
import Testing

@testable import CacheDisk

@Suite struct TierInspectionTests {
    typealias Load = DiskCrashTests.Load

    /// Two segments and a bit, all of it in place.
    private static func settled(_ load: inout Load) -> DiskBench {
        var bench = DiskBench()
        while bench.tier.log.active < SegmentNumber(3) || bench.tier.log.end < 1_000 {
            load.act(on: &bench)
            bench.settle()
        }
        return bench
    }

    private static func closed(_ bench: inout DiskBench) -> [UInt8] {
        bench.tier.now = TierTime(milliseconds: 900)
        bench.tier.close(DiskBench.checkpoint, calendar: 2_000_000)
        bench.settle()
        return bench.image
    }

    private static func offset(_ number: UInt64, _ offset: Int) -> Int {
        let geometry = DiskBench.geometry
        let ring = Int(number - 1) % geometry.segmentCount
        return geometry.segmentsOffset + ring * geometry.segmentBytes + offset
    }

    // MARK: What is whole

    @Test func aTierThatWasClosedInOrderIsWhole() throws {
        var load = Load(seed: 5)
        var bench = Self.settled(&load)
        let image = Self.closed(&bench)
        let found = try InspectionBench().inspect(image)
        let facts = found.facts
        #expect(facts.damageCount == 0)
        #expect(facts.verdict == .recovers(entryCount: load.truth.count))
        #expect(facts.total.live == load.truth.count && facts.total.damaged == 0)
        #expect(facts.segments.map(\.number.rawValue) == [1, 2, 3])
        #expect(facts.segments.map(\.use) == [.sealed, .sealed, .active])
        #expect(facts.segments.allSatisfy { $0.header == .whole && !$0.isVoid })
        #expect(facts.freeCount == 3)
        #expect(facts.superblock.closed == TierTime(milliseconds: 900))
        #expect(facts.checkpoints.map(\.counter) == [2, 1])
        let tombstones = found.kinds.count { $0 == .tombstone }
        #expect(facts.total.records == found.records.count)
        #expect(facts.total.tombstones == tombstones && tombstones > 0)
        #expect(facts.total.bytes == found.records.reduce(0) { $0 + $1.bytes })
        #expect(facts.total.liveBytes == found.live.reduce(0) { $0 + $1.bytes })
        let keys = Set(found.live.compactMap { $0.content.map(\.key) })
        #expect(keys == Set(load.truth.keys.map { Array($0.utf8) }))
    }

    /// Whatever a kill leaves is no damage, and what is live is what a node recovers.
    @Test(arguments: 0..<4)
    func inspectionAfterAKillMatchesWhatANodeRecovers(seed: UInt64) throws {
        var bench = DiskBench()
        var load = Load(seed: 300 + seed, longMax: seed % 2 == 0 ? 0 : 1_500)
        for operation in 0..<700 {
            load.act(on: &bench)
            for _ in 0..<load.dice.below(3) { _ = bench.step() }
            if load.dice.below(4) == 0 { bench.tier.tick() }
            guard operation % 7 == 0 else { continue }
            let found = try InspectionBench().inspect(bench.image)
            var recovering = DiskBench(recovering: bench.image)
            recovering.settle()
            guard let count = recovering.recovered?.entryCount else {
                #expect(found.facts.verdict == .discards(.unusable(.removalsMissing)))
                continue
            }
            #expect(found.facts.damageCount == 0, "after \(operation)")
            #expect(found.facts.total.live == count && found.recoveredCount == count)
            var quick = InspectionBench()
            quick.verifies = false
            let fast = try quick.inspect(bench.image).facts
            #expect(fast.total == found.facts.total && fast.segments == found.facts.segments)
        }
        #expect(bench.tier.statistics.reclaimedSegments > 3)
    }

    @Test func aTierThatIsNewHasNoSegment() throws {
        let facts = try InspectionBench().inspect(DiskBench().image).facts
        #expect(facts.segments.isEmpty && facts.freeCount == 6 && facts.damageCount == 0)
        #expect(facts.verdict == .recovers(entryCount: 0))
        #expect(facts.checkpoints.map(\.counter) == [nil, 1] && facts.checkpoints[0] == .blank)
        #expect(facts.total.liveShare == nil)
    }

    @Test func aRecordIsLiveOverwrittenOrRemoved() throws {
        var bench = DiskBench()
        bench.set("a", "one")
        bench.set("b", "two")
        bench.set("a", "three")
        bench.remove("b")
        let found = try InspectionBench().inspect(bench.image)
        #expect(found.states(of: "a") == [.overwritten, .live])
        #expect(found.states(of: "b") == [.removed])
        #expect(found.kinds.last == .tombstone)
        #expect(found.records.last?.fingerprint == bench.fingerprint("b"))
        #expect(found.records[0].content?.valueBytes == 3)
        bench.tier.reset()
        bench.settle()
        let reset = try InspectionBench().inspect(bench.image)
        #expect(reset.facts.total.live == 0 && reset.facts.total.resets == 1)
        #expect(reset.states(of: "a") == [.removed, .removed])
    }

    @Test func whatIsOverByNowIsExpired() throws {
        var bench = DiskBench()
        let fingerprint = bench.fingerprint("key")
        let cause = Array("key".utf8).withUnsafeBytes { key in
            var entry = DiskEntry(key: key, value: key)
            entry.expires = TierTime(milliseconds: 10)
            entry.version = 7
            return bench.tier.append(entry, fingerprint)
        }
        #expect(cause == nil)
        var inspection = InspectionBench()
        inspection.now = Instant(nanoseconds: 9_000_000)
        let before = try inspection.inspect(bench.image)
        inspection.now = Instant(nanoseconds: 10_000_000)
        let after = try inspection.inspect(bench.image)
        #expect(before.kinds == [.live] && after.kinds == [.expired])
        #expect(after.facts.total.live == 1 && after.facts.total.expired == 1)
        #expect(after.records.first?.content?.version == 7)
    }

    // MARK: Damage

    @Test func eachDamageIsCountedWhereItLies() throws {
        var load = Load(seed: 5)
        var bench = Self.settled(&load)
        let image = Self.closed(&bench)
        let geometry = DiskBench.geometry
        func damaged(_ place: Int) throws -> TierFacts {
            var image = image
            image[place] ^= 1
            return try InspectionBench().inspect(image).facts
        }
        let last = geometry.segmentBytes - SegmentFooter.lastBlockBytes
        #expect(try damaged(Self.offset(2, 100)).segments[1].tally.damaged == 1)
        #expect(try damaged(Self.offset(2, 20)).segments[1].header == .damaged)
        #expect(try damaged(Self.offset(2, last + 8)).segments[1].footer == .damaged)
        #expect(try damaged(Self.offset(2, last)).segments[1].footer == .missing)
        #expect(try damaged(geometry.checkpointOffset(1) + 20).checkpoints[1] == .damaged)
        #expect(try damaged(geometry.tailOffset + 20).tail.damagedCopies == 1)
        let slots = geometry.tailOffset + DiskLimits.pageBytes
        #expect(try damaged(slots).tail.damagedSlots == 1)
        let footer = try damaged(Self.offset(1, last + 8))
        #expect(footer.damageCount == 1 && footer.segments[0].use == .unsealed)
        #expect(footer.segments[0].tally.damaged == 0, "its records prove themselves")
        #expect(footer.verdict == .recovers(entryCount: footer.total.live))
        #expect(try damaged(Self.offset(1, last)).damageCount == 1)
    }

    /// With a footer a damaged record is one miss; a node has it in its index all the same.
    @Test func aDamagedRecordThatIsLiveIsToldAsAMiss() throws {
        var load = Load(seed: 5)
        let bench = Self.settled(&load)
        let whole = try InspectionBench().inspect(bench.image)
        let record = try #require(
            whole.records.first { $0.state == .live && $0.segment == SegmentNumber(2) })
        var image = bench.image
        image[Self.offset(2, record.offset + 30)] ^= 4
        let found = try InspectionBench().inspect(image)
        let tally = found.facts.segments[1].tally
        #expect(tally.damaged == 1 && tally.damagedLive == 1)
        #expect(found.facts.total.live == load.truth.count - 1)
        #expect(found.recoveredCount == load.truth.count)
        let listed = found.records.first { $0.state == .damaged }
        #expect(listed?.offset == record.offset && listed?.fingerprint == record.fingerprint)
    }

    /// Where no footer tells of it, its segment is void and what lay before: the node's own rule.
    @Test func damageInTheNewestSegmentVoidsItAndAllBeforeIt() throws {
        var load = Load(seed: 5)
        let bench = Self.settled(&load)
        let head = bench.geometry.tailOffset + DiskLimits.pageBytes
        let slot = bench.tier.log.tail.open ?? 0
        var image = bench.image
        // The last record: in its segment, and in the tail.
        image[Self.offset(3, bench.tier.log.end - 9)] ^= 1
        image[
            head + slot * bench.tier.log.tail.slotBytes + TailSlot.headBytes
                + bench.tier.log.tail.slots[slot].count - 9] ^= 1
        var recovering = DiskBench(recovering: image)
        recovering.settle()
        let found = try InspectionBench().inspect(image)
        #expect(found.facts.damageCount == 1 && found.facts.segments[2].tally.damaged == 1)
        #expect(found.facts.segments.map(\.isVoid) == [true, true, true])
        #expect(found.facts.total.live == recovering.tier.entryCount)
        #expect(!found.kinds.contains(.removed) && found.kinds.contains(.void))
    }

    /// Any byte of the file, after a kill and after an end in order: damage is reported, or what is
    /// live is what was live; and the node's own recovery says the same.
    @Test(arguments: [false, true])
    func aFlippedBitIsReportedOrChangesNothing(isClosed: Bool) throws {
        var bench = DiskBench()
        var load = Load(seed: 41)
        for _ in 0..<220 {
            load.act(on: &bench)
            for _ in 0..<load.dice.below(3) { _ = bench.step() }
            bench.tier.tick()
        }
        if isClosed { bench.settle() }
        let image = isClosed ? Self.closed(&bench) : bench.image
        let whole = try InspectionBench().inspect(image)
        #expect(whole.facts.damageCount == 0 && !whole.live.isEmpty)
        let step = 37
        var reported = 0
        for place in stride(from: load.dice.below(step), to: image.count, by: step) {
            var damaged = image
            damaged[place] ^= UInt8(1 << load.dice.below(8))
            do throws(InspectionFailure) {
                let found = try InspectionBench().inspect(damaged)
                if found.facts.damageCount > 0 { reported += 1 }
                #expect(
                    found.facts.damageCount > 0 || found.live == whole.live, "byte \(place)")
                #expect(Self.isNodesWord(found, damaged), "byte \(place)")
            } catch {
                #expect(place < Superblock.bytes, "byte \(place): \(error)")
                reported += 1
            }
        }
        #expect(reported > 80, "\(reported)")
    }

    /// Whether it says of the log what a node finds that starts with it.
    private static func isNodesWord(_ found: InspectionBench.Found, _ image: [UInt8]) -> Bool {
        var bench = DiskBench(recovering: image)
        bench.settle()
        switch found.facts.log {
        case .recovered(let count, _):
            let total = found.facts.total
            let live = total.live + total.damagedLive
            return bench.recovered?.entryCount == count && live == count
        case .unusable(let cause): return bench.unusable == cause
        case nil: return false
        }
    }

    @Test func randomBytesInAnyPlaceNeverEndTheProgram() {
        var load = Load(seed: 5)
        var bench = Self.settled(&load)
        let image = Self.closed(&bench)
        for _ in 0..<300 {
            var damaged = image
            let from = Superblock.bytes + load.dice.below(image.count - Superblock.bytes - 600)
            for place in from..<from + load.dice.below(600) {
                damaged[place] = UInt8(load.dice.below(256))
            }
            do throws(InspectionFailure) {
                _ = try InspectionBench().inspect(damaged)
            } catch {
                Issue.record("the first page is whole, but: \(error)")
            }
        }
    }

    @Test func whatCannotBeReadIsDamage() throws {
        var load = Load(seed: 5)
        var bench = Self.settled(&load)
        let image = Self.closed(&bench)
        var inspection = InspectionBench()
        inspection.unreadable = Self.offset(2, 200)..<Self.offset(2, 201)
        let records = try inspection.inspect(image).facts
        #expect(records.segments[1].tally.damaged > 5 && records.segments[1].tally.live == 0)
        inspection.unreadable = Self.offset(2, 4_090)..<Self.offset(2, 4_091)
        let footer = try inspection.inspect(image).facts
        #expect(footer.segments[1].footer == .damaged && footer.segments[1].use == .unsealed)
        inspection.unreadable = DiskLimits.pageBytes..<DiskLimits.pageBytes + 1
        let checkpoint = try inspection.inspect(image).facts
        #expect(checkpoint.checkpoints[0] == .damaged)
    }

    /// The numbers in a state that proves itself are not trusted either.
    @Test(arguments: [(0, 3), (1, 1 << 40), (7, 3)])
    func aTailThatNamesSegmentsThatCannotBeIsDamaged(oldest: UInt64, newest: UInt64) throws {
        var load = Load(seed: 5)
        let bench = Self.settled(&load)
        var state = bench.tier.log.tail.state
        state.oldest = SegmentNumber(oldest)
        state.newest = SegmentNumber(newest)
        var copy = [UInt8](repeating: 0, count: TailState.bytes)
        copy.withUnsafeMutableBytes { state.encode(into: $0, bench.tier.log.seal) }
        var image = bench.image
        for offset in TailState.copyOffsets {
            let from = bench.geometry.tailOffset + offset
            image.replaceSubrange(from..<from + copy.count, with: copy)
        }
        let found = try InspectionBench().inspect(image)
        #expect(found.facts.verdict == .discards(.unusable(.tailDamaged)))
        #expect(found.facts.damageCount > 0 && found.facts.total.live == 0)
    }
}
