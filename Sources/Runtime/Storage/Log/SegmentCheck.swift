import CacheInvalidation
import Threading

/// Proves one sealed segment by reading its file in pieces.
struct SegmentCheck {
    /// What has become of it.
    enum Outcome {
        case unfinished
        case proven(LogShelf.Segment)
        /// Not a chain that leads to the next segment, or not to be read.
        case damaged(LogDamage)
    }

    let segment: LogShelf.Segment
    private let faults: LogFaults
    private var file: SegmentFile?
    private var proof: SegmentProof

    init(_ segment: LogShelf.Segment, faults: LogFaults) {
        self.segment = segment
        self.faults = faults
        proof = SegmentProof(of: segment.header, to: segment.head)
    }

    /// Reads and proves the next piece, of at most `bytesMax` bytes.
    mutating func step(_ bytesMax: Int) -> Outcome {
        do throws(LogFileError) {
            let file = try opened()
            let bytes = try file.read(bytesMax, at: proof.usedBytes)
            bytes.withUnsafeBytes { proof.read($0, isRest: $0.count < bytesMax) }
        } catch {
            return .damaged(LogDamage(name: segment.name, reason: "\(error)"))
        }
        switch proof.standing {
        case .unfinished: return .unfinished
        case .damaged:
            let reason = "it is damaged at byte \(proof.usedBytes)"
            return .damaged(LogDamage(name: segment.name, reason: reason))
        case .proven:
            var segment = segment
            segment.usedBytes = proof.usedBytes
            segment.index = proof.index
            return .proven(segment)
        }
    }

    private mutating func opened() throws(LogFileError) -> SegmentFile {
        if let file { return file }
        let opened = try SegmentFile(segment.path, .reading, faults: faults)
        file = opened
        return opened
    }

    /// Reads and proves all of it.
    mutating func finish() -> Outcome {
        while true {
            let outcome = step(LogFilesLimits.readBytesMax)
            if case .unfinished = outcome { continue }
            return outcome
        }
    }

    /// Puts on the shelf what was shown.
    ///
    /// - Returns: the damage, if the segment was still kept: one that retention has removed
    ///   meanwhile was not to be read either.
    func note(_ outcome: Outcome, on shelf: Guarded<LogShelf>) -> LogDamage? {
        switch outcome {
        case .unfinished: return nil
        case .proven(let proven):
            shelf.withLock { $0.note(proven: proven) }
            return nil
        case .damaged(let damage):
            return shelf.withLock { $0.letGo(through: segment.name) } ? damage : nil
        }
    }
}
