import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire

/// The publisher's reads from its disk.
extension SimulatedDisk {
    private func names(_ log: LogID, _ epoch: Epoch) -> [SegmentName] {
        guard log == self.log else { return [] }
        return contents.segments.keys.filter { $0.base.epoch == epoch }.sorted()
    }

    /// The oldest record of this log and epoch; `nil` if it has no segment.
    func tail(of log: LogID, _ epoch: Epoch) -> SequenceNumber? {
        names(log, epoch).first?.base.sequence.next
    }

    /// The start of the oldest segment of this log and epoch.
    func base(of log: LogID, _ epoch: Epoch) -> LogMark? {
        names(log, epoch).first.flatMap { header(of: $0)?.base }
    }

    /// The records after `sequence` in its segment.
    func records(
        of log: LogID, _ epoch: Epoch, after sequence: SequenceNumber
    ) -> [SealedRecord] {
        guard let name = names(log, epoch).last(where: { $0.base.sequence <= sequence }),
            isProven(name), let file = contents.segments[name], let header = header(of: name)
        else { return [] }
        return file.bytes.withUnsafeBytes { bytes in
            var records: [SealedRecord] = []
            var offset = SegmentHeader.bytes
            while let frame = SegmentFrame(bytes, at: offset, in: header.form) {
                offset += frame.bytes
                guard frame.sequence > sequence else { continue }
                var reader = ByteReader(frame.record)
                do throws(WireRefusal) {
                    records.append(try SealedRecord(decoding: &reader))
                } catch {
                    break
                }
            }
            return records
        }
    }

    /// Whether a segment's records may be read. A segment of an earlier process is checked first;
    /// if it is damaged, it and all older ones are dropped.
    private func isProven(_ name: SegmentName) -> Bool {
        if proven.contains(name) { return true }
        guard let header = header(of: name),
            let next = contents.segments.keys.filter({ name < $0 }).min(),
            let end = self.header(of: next)?.base, let file = contents.segments[name]
        else { return false }
        var proof = SegmentProof(of: header, to: end)
        file.bytes.withUnsafeBytes {
            let frames = UnsafeRawBufferPointer(rebasing: $0[SegmentHeader.bytes...])
            proof.read(frames, isRest: true)
        }
        if proof.standing == .proven {
            proven.insert(name)
            return true
        }
        contents.segments = contents.segments.filter { name < $0.key }
        return false
    }

    func header(of name: SegmentName) -> SegmentHeader? {
        contents.segments[name]?.bytes.withUnsafeBytes { SegmentHeader($0) }
    }
}
