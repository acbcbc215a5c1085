import ByteCoding
import CacheLoading
import CacheMemory
import CacheModel
import CacheWire

extension ShardCore {
    /// Whether an entry is served as fresh or as stale, and why.
    struct Verdict {
        var status: ResultStatus
        var flags: ResultFlags
        /// Its remaining lifetime in milliseconds, if already known.
        var timeToLive: UInt64?
    }

    /// Writes an entry that may be served: head, fields, value.
    ///
    /// - Returns: whether it was written; if not, the reply frame is full and DEFERRED was written.
    @discardableResult
    mutating func write(
        _ entry: EntryView, _ verdict: Verdict, _ lookup: Lookup,
        _ context: inout RequestContext, into writer: inout ByteWriter
    ) -> Bool {
        let options = lookup.operation.options
        let value = part(of: entry, lookup.operation)
        guard let value else {
            OperationResult.append(.changed, to: &writer)
            return false
        }
        let countWith = writer.count - context.start + value.count
        guard countWith <= ShardLimits.answerRoomBytes else {
            OperationResult.append(.deferred, to: &writer)
            return false
        }
        if verdict.status == .hit {
            context.counters.hits += 1
        } else {
            context.counters.staleHits += 1
        }
        var flags = verdict.flags
        if entry.isUnfenced { flags.insert(.unfenced) }
        let start = writer.count
        OperationResult.append(
            verdict.status, flags: flags,
            detail: entries.whereFound(lookup.hash).rawValue, to: &writer)
        OperationResult.setTimes(
            age: entry.ageMilliseconds(at: context.now),
            ttl: verdict.timeToLive ?? entry.ttlMilliseconds(at: context.now), at: start,
            in: &writer)
        if options.contains(.details) || value.count < entry.value.count {
            if options.contains(.details) {
                appendDetails(of: entry, isForPeer: context.isForPeer, to: &writer)
            }
            if value.count < entry.value.count {
                OperationResult.appendField(
                    whole: ResultFields.Whole(
                        identity: entries.memory.identity(of: entry),
                        totalBytes: entry.value.count),
                    to: &writer)
            }
            OperationResult.finishFields(from: start, in: &writer)
        }
        OperationResult.appendValue(value, at: start, to: &writer)
        return true
    }

    /// The requested bytes; `nil` if the entry is not the one that the asker means. Inlined,
    /// because a call copies the core.
    @inline(__always)
    private func part(
        of entry: EntryView, _ operation: GetOperation
    ) -> UnsafeRawBufferPointer? {
        let value = entry.value
        guard let part = operation.part else {
            guard value.count > WireLimits.chunkBytesMax else { return value }
            return UnsafeRawBufferPointer(rebasing: value[0..<WireLimits.chunkBytesMax])
        }
        guard part.identity == entries.memory.identity(of: entry), Int(part.offset) < value.count
        else {
            return nil
        }
        let end = min(value.count, Int(part.offset) + Int(part.length))
        return UnsafeRawBufferPointer(rebasing: value[Int(part.offset)..<end])
    }

    /// Version, ETag, tags, representation and fill position, and for a peer the terms.
    func appendDetails(of entry: EntryView, isForPeer: Bool, to writer: inout ByteWriter) {
        if entry.version != .none {
            OperationResult.appendField(version: entry.version, to: &writer)
        }
        if entry.validator.count > 0 {
            OperationResult.appendField(OperationResult.FieldID.etag, entry.validator, to: &writer)
        }
        appendTags(of: entry, to: &writer)
        RepresentationFields.append(
            stored: entry.representation, by: RepresentationFields.inResult, to: &writer)
        OperationResult.appendField(fillPosition: log.position(of: entry.fill), to: &writer)
        guard isForPeer else { return }
        appendTerms(entry.terms ?? LoadTerms(), mayKeep: true, to: &writer)
    }

    private func appendTags(of entry: EntryView, to writer: inout ByteWriter) {
        var found: [UnsafeRawBufferPointer] = []
        found.reserveCapacity(entry.tagCount)
        entry.forEachTag { found.append($0) }
        for tag in found {
            OperationResult.appendField(OperationResult.FieldID.tag, tag, to: &writer)
        }
    }

}

extension EntryView {
    /// Milliseconds of its remaining lifetime; 2^64 − 1 never expires.
    func ttlMilliseconds(at now: Instant) -> UInt64 {
        guard let freshUntil else { return .max }
        return freshUntil.millisecondsSince(now)
    }
}

extension Instant {
    /// Whole milliseconds from `earlier` to this moment; 0 if it is later.
    func millisecondsSince(_ earlier: Instant) -> UInt64 {
        earlier < self ? (nanoseconds - earlier.nanoseconds) / 1_000_000 : 0
    }
}
