import CacheDisk
import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// A node whose keys are replaced all the time, and take little of its disk: its ring goes round
/// again and again, and is cleaned.
@Suite struct ShardCoreCleaningTests {
    private static let geometry: DiskGeometry = {
        let geometry = DiskGeometry(
            checkpointBytes: 4_096, tailBytes: 4_096 + 8 * 4_096, segmentBytes: 4_096,
            segmentCount: 16)
        guard let geometry else { preconditionFailure("a file can have these sizes") }
        return geometry
    }()
    private static let steady = (0..<30).map { "steady\($0)" }

    /// - Returns: a node that has been killed, started again and brought up to date after its ring
    ///   has gone round three times, and its last store before.
    private static func restarted(
        writeBytesPerSecond: Int?
    ) -> (next: DiskHarness, last: String, declined: UInt64) {
        let node = DiskHarness(geometry: geometry, writeBytesPerSecond: writeBytesPerSecond)
        node.invalidate(.key("other"))
        node.checkpoint()
        for key in steady {
            _ = node.set(key, "of \(key)")
            node.settle()
        }
        var last = ""
        for number in 0..<3 * geometry.segmentCount * geometry.segmentBytes / 1_000 {
            last = "\(number)" + String(repeating: ".", count: 900)
            #expect(node.set("busy", last) == .stored)
            node.settle()
        }
        #expect(node.getAtOnce("busy").text == last)
        let declined = node.figure("disk_declined_budget")
        let next = DiskHarness(afterKillOf: node)
        next.join()
        return (next, last, declined)
    }

    @Test func aRestartFindsEverythingHoweverOftenTheRingWentRound() {
        let (next, last, declined) = Self.restarted(writeBytesPerSecond: nil)
        #expect(next.get("busy")?.text == last)
        for key in Self.steady { #expect(next.get(key)?.text == "of \(key)") }
        #expect(declined == 0)
    }

    @Test func valuesNotWrittenToDiskAreMissesAfterARestart() {
        let (next, _, declined) = Self.restarted(writeBytesPerSecond: 5_000)
        #expect(declined > 0)
        #expect(next.get("busy")?.status == .miss)
        for key in Self.steady { #expect(next.get(key)?.text == "of \(key)") }
    }
}
