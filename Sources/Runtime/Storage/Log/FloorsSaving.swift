import ByteCoding
import CacheInvalidation

/// Writes a floor snapshot beside the log, a piece at a time, so that no append waits long for it.
/// The file gets its name once all of it is synchronized.
struct FloorsSaving {
    private let snapshot: FloorSnapshot
    private let directory: LogDirectory
    private var file: SegmentFile?
    private var offset = 0
    private var page = 0

    init(_ snapshot: FloorSnapshot, in directory: LogDirectory) {
        self.snapshot = snapshot
        self.directory = directory
    }

    /// Writes and synchronizes the next piece.
    ///
    /// - Returns: whether that was the last.
    mutating func step() throws(LogFileError) -> Bool {
        var writer = ByteWriter(capacityBytes: LogFilesLimits.floorsPieceBytes)
        let file: SegmentFile
        if let begun = self.file {
            file = begun
        } else {
            file = try directory.makeFloors()
            self.file = file
            snapshot.encodeHead(into: &writer)
        }
        page = snapshot.encodePages(
            from: page, bytesMax: LogFilesLimits.floorsPieceBytes, into: &writer)
        try file.write(writer.bytes, at: offset)
        try file.synchronize()
        offset += writer.count
        guard page == FloorSnapshot.pageCount else { return false }
        try directory.takeOverFloors()
        return true
    }
}
