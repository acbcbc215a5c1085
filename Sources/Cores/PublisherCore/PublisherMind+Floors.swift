package import CacheInvalidation
import CacheModel
import CacheWire

/// FLOORS: which entries a node must hide, and which it may keep, after it was away for longer than
/// the log's retention.
extension PublisherMind {
    mutating func takeFloors(
        _ message: MessageView, from requester: Requester, now: Instant
    ) throws(WireRefusal) {
        let request = try FloorsRequest(decoding: message.body)
        // Its mark is from before it forgot, and is not its current position.
        guard grants.run(of: request.incarnation) != nil else {
            return output.refuse(requester, .notRegistered, Self.strangerSentence)
        }
        guard isBelievable(request.applied) else {
            return output.refuse(requester, .outOfRange, Self.wildEpochSentence)
        }
        guard isStanding, !areFloorsComing, let floors else {
            let sentence = "the publisher still reads what its log has touched; try again"
            return output.refuse(requester, .busy, sentence)
        }
        guard request.log == log.id else {
            let sentence = "this is another log; whatever was filled under yours has to be hidden"
            return output.refuse(requester, .outOfRange, sentence)
        }
        guard floorsSent.insert(requester.peer).inserted else {
            return output.refuse(requester, .busy, "one part at a time")
        }
        let answer = answer(to: request, with: floors)
        output.statistics.floorParts += 1
        output.statistics.floorEntries += UInt64(answer.buckets.count)
        output.reply(to: requester) { answer.encode(requestID: requester.requestID, into: &$0) }
    }

    /// One part of the names covered after the node's mark. A node whose mark is before the
    /// position since which the snapshot is complete hides everything, and needs no names for that.
    private func answer(to request: FloorsRequest, with floors: FloorSnapshot) -> FloorSnapshotPart
    {
        let position = request.applied.position
        let start = LogPosition(
            epoch: floors.asOf.position.epoch, sequence: floors.completeSince)
        guard position >= start else {
            return FloorSnapshotPart(
                FloorPart(
                    first: request.firstBucket, next: FloorSnapshot.bucketCount,
                    names: FloorNames(), entries: []), of: floors)
        }
        let above = isProven(request.applied, floors) ? position.sequence : floors.completeSince
        return FloorSnapshotPart(floors.part(from: request.firstBucket, above: above), of: floors)
    }

    /// Whether a node at this mark has applied this log's records up to it. A position alone proves
    /// nothing if an earlier publisher may have sent other records under it: the common records end
    /// before the snapshot begins.
    private func isProven(_ mark: LogMark, _ floors: FloorSnapshot) -> Bool {
        switch log.standing(of: mark) {
        case .ofTheLog: true
        case .beforeTail: floors.isCertain
        case .olderEpoch, .ahead, .unlike: false
        }
    }

    /// The floors of the records before this publisher's start were read, or could not be.
    ///
    /// - Parameter earlier: up to the position where this publisher's own floors begin, or further.
    ///   A snapshot of another log, or of an epoch that is over, is ignored.
    package mutating func floorsArrived(_ earlier: FloorSnapshot) {
        guard areFloorsComing, let known = floors else { return }
        areFloorsComing = false
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
    mutating func restartFloors(isCertain: Bool) {
        floors = FloorSnapshot(of: log.id, at: log.head, isCertain: isCertain)
        areFloorsComing = false
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
