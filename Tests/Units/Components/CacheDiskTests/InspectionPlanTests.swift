import CacheModel
import Testing

@testable import CacheDisk

@Suite struct InspectionPlanTests {
    private static func failure(_ image: [UInt8]) -> InspectionFailure? {
        do throws(InspectionFailure) {
            _ = try InspectionBench().inspect(image)
            return nil
        } catch {
            return error
        }
    }

    private static let image = DiskBench().image

    private static func changed(_ place: Int, _ byte: UInt8) -> [UInt8] {
        var image = image
        image[place] = byte
        return image
    }

    @Test func aFileThatHoldsNoTierIsToldApart() {
        let size = Self.image.count
        #expect(Self.failure(Self.image) == nil)
        #expect(Self.failure([]) == .empty)
        #expect(Self.failure(Array(repeating: 0, count: 9_000)) == .empty)
        #expect(Self.failure(Array("some text".utf8)) == .noTier)
        #expect(Self.failure(Array(repeating: 0x20, count: 9_000)) == .noTier)
        #expect(Self.failure(Self.changed(7, UInt8(ascii: "2"))) == .otherFormat(0x32))
        #expect(Self.failure(Self.changed(30, 9)) == .damagedHead)
        #expect(Self.failure(Array(Self.image.prefix(100))) == .damagedHead)
        #expect(
            Self.failure(Array(Self.image.dropLast()))
                == .wrongSize(foundBytes: size - 1, expectedBytes: size))
        #expect(
            Self.failure(Self.image + [0])
                == .wrongSize(foundBytes: size + 1, expectedBytes: size))
    }

    @Test func everyFailureIsASentenceWithARemedy() {
        let failures: [InspectionFailure] = [
            .empty, .noTier, .otherFormat(0x32), .otherFormat(7), .damagedHead,
            .wrongSize(foundBytes: 1, expectedBytes: 2),
            .wrongSize(foundBytes: 3, expectedBytes: 2),
        ]
        #expect(Set(failures.map(\.description)).count == failures.count)
        #expect(failures[2].description.contains("format 2"))
        #expect(failures[3].description.contains("format 7"))
        #expect(failures[5].description.contains("cut"))
        #expect(failures[6].description.contains("lengthened"))
        #expect(failures.map(\.isDamage) == [false, false, false, false, true, true, true])
    }

    /// What lies in it is told all the same.
    @Test func aCopyAndALostBootAreDiscarded() throws {
        var bench = DiskBench()
        bench.set("a", "one")
        var inspection = InspectionBench()
        inspection.machine.file += 1
        let copy = try inspection.inspect(bench.image).facts
        #expect(copy.verdict == .discards(.copied) && copy.total.live == 1)
        inspection = InspectionBench()
        inspection.machine.boot = BootID(high: 9, low: 9)
        let lost = try inspection.inspect(bench.image).facts
        #expect(lost.verdict == .discards(.lostPower) && lost.plan.now == nil)
    }

    @Test func aLogThatIsNotBelievedIsLookedThroughAllTheSame() throws {
        var bench = DiskBench()
        bench.set("a", "one")
        bench.tier.log.tail.say { $0.isUnsafe = true }
        let unsafe = try InspectionBench().inspect(bench.image)
        #expect(unsafe.facts.verdict == .discards(.unusable(.removalsMissing)))
        #expect(unsafe.facts.tail.isUnsafe == true && unsafe.kinds == [.void])
        #expect(unsafe.facts.damageCount == 0)
        var image = DiskBench().image
        for number in 0..<2 { image[bench.geometry.checkpointOffset(number)] ^= 1 }
        let none = try InspectionBench().inspect(image).facts
        #expect(none.verdict == .discards(.unusable(.noCheckpoint)))
        #expect(none.damageCount == 2, "a blank place that is not blank, too")
    }

    /// Without a tail the headers tell which segments there are.
    @Test func aTailThatIsGoneLeavesTheSegments() throws {
        var bench = DiskBench()
        for number in 0..<200 {
            bench.set("key \(number % 50)", "value")
            bench.settle()
        }
        var image = bench.image
        for offset in TailState.copyOffsets {
            image[bench.geometry.tailOffset + offset] ^= 1
        }
        let found = try InspectionBench().inspect(image)
        #expect(found.facts.verdict == .discards(.unusable(.tailDamaged)))
        #expect(found.facts.tail.isUnsafe == nil && found.facts.tail.damagedCopies == 4)
        #expect(found.facts.segments.count > 1 && found.facts.total.live == 0)
        #expect(found.facts.total.records > 50 && found.facts.segments.allSatisfy(\.isVoid))
    }
}
