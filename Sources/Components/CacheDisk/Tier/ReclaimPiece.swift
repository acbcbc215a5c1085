/// The piece of a segment that is being emptied which was read last: its records are appended again
/// one after the other.
struct ReclaimPiece {
    /// In the segment.
    var range = 0..<0
    /// Of that range; none where it could not be read.
    var bytes: [UInt8] = []

    /// What was read from there on; empty where that is nothing.
    func bytes(at offset: Int, _ body: (UnsafeRawBufferPointer) -> Void) {
        let from = offset - range.lowerBound
        bytes.withUnsafeBytes {
            body(UnsafeRawBufferPointer(rebasing: $0[min(from, $0.count)...]))
        }
    }
}
