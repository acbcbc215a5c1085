import CacheDisk
import CacheModel
import Testing

@testable import CacheServer

@Suite struct DiskWatchTests {
    private static func at(_ seconds: UInt64) -> Instant {
        Instant(nanoseconds: 1_000_000_000_000 + seconds * 1_000_000_000)
    }

    /// What a watch finds that looks at those seconds, with so many segments read; `nil` while the
    /// file is not open.
    private static func findings(
        _ looks: [(second: UInt64, segments: Int?)], openedAt: UInt64? = nil
    ) -> [DiskWatch.Finding] {
        var watch = DiskWatch(now: at(0))
        return looks.map { second, segments in
            if let openedAt, second > openedAt { watch.moved(now: at(openedAt)) }
            let progress = segments.map {
                RecoveryProgress(segmentCount: 40, segmentsRead: $0, entryCount: $0 * 1_000)
            }
            return watch.look(progress, now: at(second))
        }
    }

    @Test func whatIsDoneSoonIsNotTalkedOf() {
        #expect(Self.findings([(1, nil), (4, 3)]) == [.nothing, .nothing])
    }

    @Test func whatTakesLongIsToldEveryFiveSeconds() {
        let found = Self.findings((1...22).map { (UInt64($0), $0) })
        #expect(found.indices.filter { found[$0] == .told } == [4, 9, 14, 19])
    }

    @Test func aDiskWithoutProgressForAMinuteCountsAsStalled() {
        let slow = Self.findings((1...10).map { (UInt64($0) * 59, $0) })
        #expect(slow.allSatisfy { $0 == .told })
        #expect(Self.findings([(3, 1), (62, 1), (63, 1)]) == [.nothing, .told, .stands])
        #expect(Self.findings([(59, nil), (60, nil)]) == [.told, .stands])
    }

    @Test func aFileThatIsOpenedLateIsProgress() {
        let found = Self.findings([(58, nil), (118, nil), (119, nil)], openedAt: 59)
        #expect(found == [.told, .told, .stands])
    }
}
