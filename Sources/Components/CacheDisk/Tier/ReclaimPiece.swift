/// The piece read last of a segment being emptied: its records are re-appended one after the other.
struct ReclaimPiece {
    /// In the segment.
    var range = 0..<0
    /// Bytes of that range; empty if it could not be read.
    var bytes: [UInt8] = []

    /// The bytes read from there on; empty if there are none.
    func bytes(at offset: Int, _ body: (UnsafeRawBufferPointer) -> Void) {
        let from = offset - range.lowerBound
        bytes.withUnsafeBytes {
            body(UnsafeRawBufferPointer(rebasing: $0[min(from, $0.count)...]))
        }
    }
}
