import CacheInvalidation
import CacheModel
import CacheWire

/// Serves FLOORS: which entries a node must hide, and which it may keep, after it was away for
/// longer than the log's retention.
struct FloorServer {
    /// The floors of the log's records; `nil` until the log has its position.
    private(set) var floors: FloorSnapshot?
    /// Whether the floors from before this publisher's start are still being read.
    private(set) var areComing: Bool
    /// The peers that received a part of the floors in this turn: one part each.
    private var sent: Set<PeerID> = []

    init(of log: some InvalidationLog) {
        areComing = log.areFloorsComing
        guard log.hasHistory else { return }
        floors = FloorSnapshot(
            of: log.id, at: log.head, isCertain: log.head.position.sequence == .none)
    }

    /// A turn ends: each peer may receive another part.
    mutating func forgetSent() { sent.removeAll(keepingCapacity: true) }

    /// A record is in the log.
    mutating func append(_ record: SealedRecord) { floors?.note(record) }

    /// The floors of the records before this publisher's start were read, or could not be.
    ///
    /// - Parameter earlier: up to the position where this publisher's own floors begin, or further.
    ///   A snapshot of another log, or of an epoch that is over, is ignored.
    mutating func insert(_ earlier: FloorSnapshot) {
        guard areComing, let known = floors else { return }
        areComing = false
        guard earlier.log == known.log, earlier.asOf.position.epoch == known.asOf.position.epoch,
            known.completeSince <= earlier.asOf.position.sequence,
            earlier.asOf.position <= known.asOf.position
        else { return }
        var whole = earlier
        whole.absorb(known)
        floors = whole
    }

    /// The log continues at a new position: no floors before it are known.
    ///
    /// - Parameter isCertain: whether no node can have applied records of this epoch.
    mutating func restart(at log: some InvalidationLog, isCertain: Bool) {
        floors = FloorSnapshot(of: log.id, at: log.head, isCertain: isCertain)
        areComing = false
    }

    /// Answers the request of a known run.
    mutating func answer(
        _ request: FloorsRequest, to requester: Requester, log: some InvalidationLog,
        output: inout PublisherOutput
    ) {
        guard log.isStanding, !areComing, let floors else {
            let sentence = "the publisher still reads what its log has touched; try again"
            return output.refuse(requester, .busy, sentence)
        }
        guard request.log == log.id else {
            let sentence = "this is another log; whatever was filled under yours has to be hidden"
            return output.refuse(requester, .outOfRange, sentence)
        }
        guard sent.insert(requester.peer).inserted else {
            return output.refuse(requester, .busy, "one part at a time")
        }
        let part = Self.part(of: floors, for: request, log: log)
        output.statistics.floorParts += 1
        output.statistics.floorEntries += UInt64(part.buckets.count)
        output.reply(to: requester) { part.encode(requestID: requester.requestID, into: &$0) }
    }

    /// One part of the names covered after the node's mark. A node whose mark is before the
    /// position since which the snapshot is complete hides everything, and needs no names for that.
    private static func part(
        of floors: FloorSnapshot, for request: FloorsRequest, log: some InvalidationLog
    ) -> FloorSnapshotPart {
        let position = request.applied.position
        let start = LogPosition(
            epoch: floors.asOf.position.epoch, sequence: floors.completeSince)
        guard position >= start else {
            return FloorSnapshotPart(
                FloorPart(
                    first: request.firstBucket, next: FloorSnapshot.bucketCount,
                    names: FloorNames(), entries: []), of: floors)
        }
        // A position alone proves nothing if an earlier publisher may have sent other records under
        // it: the common records end before the snapshot begins.
        let isProven =
            switch log.standing(of: request.applied) {
            case .ofTheLog: true
            case .beforeTail: floors.isCertain
            case .olderEpoch, .ahead, .unlike: false
            }
        let above = isProven ? position.sequence : floors.completeSince
        return FloorSnapshotPart(floors.part(from: request.firstBucket, above: above), of: floors)
    }
}

extension FloorSnapshotPart {
    fileprivate init(_ part: FloorPart, of floors: FloorSnapshot) {
        self.init(
            log: floors.log, asOf: floors.asOf, completeSince: floors.completeSince,
            firstBucket: part.first, nextBucket: part.next)
        everything = part.names.everything
        namespaces = part.names.namespaces.map { TouchedNamespace($0.key, $0.value) }
            .sorted { $0.namespace.name < $1.namespace.name }
        prefixes = part.names.prefixes.map {
            TouchedPrefix($0.key.bytes, in: $0.key.namespace, $0.value)
        }
        buckets = part.entries.map { TouchedBucket($0.bucket, $0.sequence) }
    }
}
