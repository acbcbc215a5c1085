import CacheDisk
import CacheModel
import CacheNodeCore
import CacheSimulation
import CacheWire
import Testing

/// A shard on a file system that is short of space: docs/decisions/0105.
@Suite struct ShardCoreDiskSpaceTests {
    private static let rule = DiskSpaceRule(leftFreeBytes: 1 << 30, shardCount: 1)

    private static func node(withRoomFor segmentCount: Int? = nil) -> DiskHarness {
        DiskHarness(
            leaving: rule, withRoomFor: segmentCount, geometry: DiskHarness.smallGeometry)
    }

    private static func measure(_ bytes: Int, on node: DiskHarness) {
        node.shard.core.noteDiskFreeBytes(bytes)
        node.settle()
    }

    private static func rooms(_ node: DiskHarness) -> [Bool] {
        node.notices.compactMap {
            if case .room(let bytes, let configured) = $0 { bytes == configured } else { nil }
        }
    }

    @Test func releasingAndRegainingDiskSpaceAreEachReportedOnce() {
        let node = Self.node()
        let size = UInt64(node.geometry.fileBytes)
        #expect(node.figure("disk_bytes") == size && Self.rooms(node).isEmpty)
        for _ in 0..<4 { Self.measure(0, on: node) }
        #expect(Self.rooms(node) == [false])
        #expect(node.figure("disk_bytes") == size - 4 * 12_288)
        #expect(node.figure("disk_bytes_max") == size)
        #expect(node.figure("disk_withdrawn_segments") == 4)
        for _ in 0..<6 { Self.measure(2 << 30, on: node) }
        #expect(Self.rooms(node) == [false, true] && node.figure("disk_bytes") == size)
    }

    @Test func aShareOfTheDiskFollowsTheSegmentsThatHaveRoom() throws {
        let node = Self.node()
        let images = try #require(Namespace("images"))
        var policy = NamespacePolicy()
        policy.diskMost = try #require(Percent(50))
        node.shard.core.configure([images: policy], fallback: NamespacePolicy())
        let whole = node.figure("namespace_disk_bytes_max:images")
        #expect(whole == UInt64(node.geometry.ringBytes / 2))
        for _ in 0..<4 { Self.measure(0, on: node) }
        let left = node.geometry.ringBytes - 4 * node.geometry.segmentBytes
        #expect(node.figure("namespace_disk_bytes_max:images") == UInt64(left / 2))
        let value = String(repeating: "v", count: 1_000)
        for number in 0..<300 {
            _ = node.set("k\(number)", value, .init(), RequestShape(namespace: images))
            node.settle()
        }
        #expect(node.figure("namespace_disk_bytes:images") <= UInt64(left / 2))
        #expect(node.figure("disk_declined_share") > 0)
        for _ in 0..<6 { Self.measure(2 << 30, on: node) }
        #expect(node.figure("namespace_disk_bytes_max:images") == whole)
    }

    @Test func aTierThatBeginsSmallerSaysSoAndServes() {
        let node = Self.node(withRoomFor: 5)
        #expect(Self.rooms(node) == [false])
        #expect(node.figure("disk_open") == 1)
        for number in 0..<20 {
            _ = node.set("filler \(number)", String(repeating: "x", count: 1_000))
            node.settle()
        }
        _ = node.set("a", "one")
        node.settle()
        let next = DiskHarness(afterKillOf: node)
        next.join()
        #expect(next.get("a")?.status == .hit)
        #expect(Self.rooms(next) == [false])
    }

    /// What is deleted while segments go does not come back from a shrunk tier.
    @Test func whatIsInvalidatedWhileTheTierShrinksStaysGone() {
        let node = Self.node()
        for number in 0..<60 {
            _ = node.set("key \(number)", String(repeating: "v", count: 700))
            node.settle()
        }
        for number in stride(from: 0, to: 60, by: 2) {
            Self.measure(number % 4 == 0 ? 0 : 2 << 30, on: node)
            node.invalidate(.key("key \(number)"))
            node.settle()
        }
        let next = DiskHarness(afterKillOf: node)
        next.join()
        for number in stride(from: 0, to: 60, by: 2) {
            #expect(next.get("key \(number)")?.status == .miss)
        }
    }
}
