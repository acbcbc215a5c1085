package import CacheModel

/// Every bound of the publisher's side of invalidation, side by side.
package enum InvalidationLimits {
    /// Records a log in memory keeps for replay.
    package static let logRecordsMax = 100_000
    /// Encoded bytes a log in memory keeps for replay.
    package static let logBytesMax = 64 << 20
    /// Most bytes of records that one reading of a log in memory decodes, beyond the first.
    package static let readBytesMax = 512 << 10
    /// The pieces that a log in memory packs records into: bytes, the last record beyond them, and
    /// records.
    static let slabBytes = 64 << 10
    static let slabRecordsMax = 1_024
    /// Fewest bytes of an encoded record: its head.
    package static let recordBytesMin = 48
    /// Longest file of a segment: no log writes a longer one. Bytes beyond it are not read.
    package static let segmentBytesMax = 1 << 30
    /// Distance between the frames of a segment that its index holds.
    package static let indexSpacingBytes = 32 << 10
    /// Operation ids that are remembered, so that a repetition is not done twice.
    package static let operationsRememberedMax = 65_536
    /// Newest records of a stored log with operations that are remembered at a start. As many may
    /// be under way at one time, and a client that repeats one across a restart was waiting for it.
    /// Each record is decoded.
    package static let operationsRecalledMax = 4_096
    /// With a log that several publishers lead: for how long an operation may be repeated, and most
    /// operations in that time. More are answered BUSY.
    package static let operationWindow: Duration = .seconds(30)
    package static let sharedOperationsMax = 1 << 20
    /// Runs of one node that may have a grant at one time; a node that restarts has two for a
    /// moment.
    package static let runsPerNodeMax = 8
    /// Nodes that may hold a lease of an earlier publisher, known by their names.
    package static let heirsMax = 2_048
    /// How long two runs of one node have to be heard side by side before that is reported, and how
    /// long it counts after the earlier one was heard. That is longer than the time between two
    /// messages of a node with the longest lease.
    package static let duplicateAfter: Duration = .seconds(5)
    package static let duplicateWindow: Duration = .seconds(45)
    /// The longest lease that a node accepts: a longer one is cut. A node that was not heard counts
    /// for so long where it is unknown what an earlier publisher granted.
    package static let leaseMax: Duration = .seconds(60)
    /// Invalidations that may wait for a receipt at one time.
    package static let waitsMax = 4_096
    /// Longest wait for a receipt.
    package static let waitTimeMax: Duration = .seconds(3_600)
    /// Reports of a run about its applied position that are remembered with their time.
    package static let appliedMarksMax = 64
    /// Answers to a run's requests for leases that are remembered: two that it may have received,
    /// and two that were given while its request waited. A run asks over one connection.
    package static let answeredHeadsMax = 4
    /// Greatest epoch that is believed in a report. A publisher opens the epoch after the greatest
    /// that it heard of, so a wild number must not use up all epochs.
    package static let epochReportedMax = Epoch(1 << 31)
    /// Greatest epoch that is believed in the file of a cluster: a publisher may have opened some
    /// behind the greatest that was reported, and others will.
    package static let epochKeptMax = Epoch(3 << 30)

    /// Namespaces that a floor snapshot keeps by name; beyond them everything counts as touched.
    package static let floorNamespacesMax = 512
    /// Prefixes that a floor snapshot keeps by name; beyond them the longest become shorter.
    package static let floorPrefixesMax = 512
    /// Longest prefix in a floor snapshot, in bytes; a longer one counts as its beginning.
    package static let floorPrefixBytesMax = 128
    /// Buckets in one part of a floor snapshot, of 10 bytes each on the wire.
    package static let floorPartEntriesMax = 16_384
    /// Buckets that are looked at for one part.
    package static let floorPartLookedMax = 1 << 18

    /// How long the publisher counts a lease of that length: a hundredth longer than the node
    /// does, because two clocks may drift by that much.
    package static func grant(for lease: Duration) -> Duration {
        lease + lease / 100
    }

    /// The relations that must hold. Called by the tests.
    package static func check() {
        precondition(
            logBytesMax >= InvalidationRecord.bytesMax, "the log keeps at least its last record")
        precondition(
            waitsMax <= operationsRememberedMax,
            "an operation that is waited for is not forgotten meanwhile")
        precondition(
            waitsMax <= operationsRecalledMax && operationsRecalledMax <= operationsRememberedMax,
            "what was waited for at the end is known at the next start")
        precondition(
            duplicateAfter < duplicateWindow && leaseMax / 2 < duplicateWindow,
            "a node is heard again while its last word counts")
        precondition(runsPerNodeMax >= 2, "a restarted node has two runs for a moment")
    }
}
