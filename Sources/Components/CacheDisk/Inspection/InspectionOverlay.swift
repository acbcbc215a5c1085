/// The writes of a recovery to segments, kept in memory instead of the file, and applied to reads.
///
/// Only the tail's runs are kept, so it is no larger than the tail.
struct InspectionOverlay {
    private let geometry: DiskGeometry
    private var pieces: [(from: Int, bytes: [UInt8])] = []

    init(_ geometry: DiskGeometry) { self.geometry = geometry }

    /// - Parameter offset: in the file.
    mutating func write(_ bytes: [UInt8], at offset: Int) {
        let place = offset - geometry.segmentsOffset
        // A recovery does not read a footer that it rewrites, and there may be many.
        let isFooter = (place + bytes.count) % geometry.segmentBytes == 0
        if place >= 0, !isFooter { pieces.append((offset, bytes)) }
    }

    /// The bytes of the file from `offset` on, with the writes applied.
    func applied(to bytes: [UInt8], at offset: Int) -> [UInt8] {
        var bytes = bytes
        for piece in pieces {
            let from = max(piece.from, offset)
            let to = min(piece.from + piece.bytes.count, offset + bytes.count)
            guard from < to else { continue }
            bytes.replaceSubrange(
                from - offset..<to - offset,
                with: piece.bytes[from - piece.from..<to - piece.from])
        }
        return bytes
    }
}
