import CacheModel
import Testing

@testable import CacheNodeCore

/// When a node requests a document of its publisher.
@Suite struct SharedFetchTests {
    private func at(_ milliseconds: Int64) -> Instant {
        Instant(nanoseconds: 0).advanced(by: .milliseconds(milliseconds))
    }

    @Test func aVersionIsRequestedOnceWithinItsPatience() {
        var fetch = SharedFetch()
        #expect(Self.reported(&fetch, 1, at(0)))
        #expect(!Self.reported(&fetch, 1, at(999)))
        #expect(Self.reported(&fetch, 1, at(1_000)))
        let isNew = fetch.received(version: 1)
        #expect(isNew && !Self.reported(&fetch, 1, at(5_000)))
    }

    @Test func manyChangesOfALargeClusterAreRequestedTogether() {
        var fetch = SharedFetch()
        #expect(Self.reported(&fetch, 1, at(0)))
        _ = fetch.received(
            version: 1, spacing: NodeControlLimits.topologySpacing(nodeCount: 1_000))
        for version in 2...19 as ClosedRange<UInt32> {
            fetch.forget()
            #expect(!Self.reported(&fetch, version, at(Int64(version) * 100)))
        }
        #expect(Self.reported(&fetch, 20, at(2_000)))
    }

    @Test func smallClustersHearOfEachChange() {
        #expect(NodeControlLimits.topologySpacing(nodeCount: 64) == .zero)
        #expect(NodeControlLimits.topologySpacing(nodeCount: 300) == .milliseconds(600))
        #expect(NodeControlLimits.topologySpacing(nodeCount: 1_000_000) == .seconds(2))
    }

    private static func reported(
        _ fetch: inout SharedFetch, _ version: UInt32, _ now: Instant
    ) -> Bool {
        fetch.reported(version: version, now: now)
    }
}
