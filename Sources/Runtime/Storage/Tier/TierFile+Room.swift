import CPlatform
import CacheDisk
import LibC

extension TierFile {
    /// Makes the file what its geometry says: so many segments of it reserved and all that lies
    /// before them, of the other places a page each; the tail zeros that lie on the disk,
    /// everything synchronized.
    ///
    /// What is only reserved becomes data at the first write, by an entry in the file system's
    /// journal: the thread that writes segments can wait for that, but not a shard that stores into
    /// the tail. So that has its blocks from the beginning.
    ///
    /// Beside the file's own size its file system needs some for knowing where it lies: a page for
    /// each few hundred pieces it is in. No file is smaller for it, and `stat` counts it.
    ///
    /// - Throws: nothing was changed where room is missing and the system could tell; the file is
    ///   empty after any other failure.
    func makeAnew(_ geometry: DiskGeometry, segments: Int) throws(DiskFileError) {
        let neededBytes = geometry.roomBytes(segments)
        try checkRoom(for: neededBytes)
        try empty()
        do throws(DiskFileError) {
            try reserve(geometry, segments: segments, neededBytes)
            try writeZeros(in: geometry, neededBytes)
            let code = synchronize()
            if code != 0 { throw failed("synchronize", code, neededBytes) }
            try synchronizeName()
        } catch {
            // Space that is of no use to a tier goes back to the file system.
            do throws(DiskFileError) { try empty() } catch {}
            throw error
        }
    }

    /// Makes sure that the file has the size that its geometry says, and its room: all of it, or
    /// all but that of its segments, which keep what they have.
    func checkWhole(_ geometry: DiskGeometry, keepsHoles: Bool) throws(DiskFileError) {
        let size = try sizeBytes()
        guard size == geometry.fileBytes else {
            throw .wrongSize(path: path, foundBytes: size, expectedBytes: geometry.fileBytes)
        }
        let end = keepsHoles ? geometry.segmentsOffset : geometry.fileBytes
        // A call that finds too little room may take what there is.
        if !keepsHoles { try checkRoom(for: geometry.fileBytes) }
        try reserve(0..<end, neededBytes: geometry.fileBytes)
    }

    /// Bytes that are free on its file system for this process; `nil` if it does not tell.
    func freeBytes() -> Int? {
        var room = statvfs()
        // A file system without a size of its own tells zero.
        guard fstatvfs(descriptor, &room) == 0, room.f_blocks > 0 else { return nil }
        return Self.freeBytes(room)
    }

    /// At most `Int.max`: some file systems tell numbers that nothing has.
    private static func freeBytes(_ room: statvfs) -> Int {
        let (bytes, isOverflow) = UInt64(room.f_bavail)
            .multipliedReportingOverflow(by: UInt64(room.f_frsize))
        return isOverflow ? .max : Int(clamping: bytes)
    }

    /// Gives the room of a range back: it reads as zeros.
    ///
    /// - Returns: 0, or an error number.
    func release(_ range: Range<Int>) -> CInt {
        run(.release, on: range, martlet_file_release)
    }

    /// - Returns: 0, or an error number.
    func reserve(_ range: Range<Int>) -> CInt {
        run(.reserve, on: range, martlet_file_reserve)
    }

    private func run(
        _ step: DiskFaults.Step, on range: Range<Int>, _ call: (CInt, Int64, Int64) -> CInt
    ) -> CInt {
        faults.run(step) {
            var code: CInt
            repeat {
                code = call(descriptor, Int64(range.lowerBound), Int64(range.count))
            } while code == EINTR
            return code
        }
    }

    private func checkRoom(for neededBytes: Int) throws(DiskFileError) {
        var room = statvfs()
        guard fstatvfs(descriptor, &room) == 0 else {
            throw .call("look at the disk of", path: path, code: errno)
        }
        // A file system without a size of its own tells zero.
        guard room.f_blocks > 0 else { return }
        let own = try Int(status().st_blocks) * 512
        let (sum, isOverflow) = Self.freeBytes(room).addingReportingOverflow(own)
        let free = isOverflow ? .max : sum
        guard neededBytes <= free else {
            throw .noRoom(path: path, neededBytes: neededBytes, missingBytes: neededBytes - free)
        }
    }

    private func empty() throws(DiskFileError) {
        guard ftruncate(descriptor, 0) == 0 else { throw .call("empty", path: path, code: errno) }
    }

    /// Gives the file its size, and the first segments their room.
    private func reserve(
        _ geometry: DiskGeometry, segments: Int, _ neededBytes: Int
    ) throws(DiskFileError) {
        let end = geometry.segmentsOffset + segments * geometry.segmentBytes
        try reserve(0..<end, neededBytes: neededBytes)
        guard segments < geometry.segmentCount else { return }
        guard ftruncate(descriptor, off_t(geometry.fileBytes)) == 0 else {
            throw failed("lengthen", errno, neededBytes)
        }
        for place in segments..<geometry.segmentCount {
            let from = geometry.segmentsOffset + place * geometry.segmentBytes
            try reserve(from..<from + DiskGeometry.keptBytes, neededBytes: neededBytes)
        }
    }

    private func reserve(_ range: Range<Int>, neededBytes: Int) throws(DiskFileError) {
        let code: CInt = reserve(range)
        switch code {
        case 0: return
        case EOPNOTSUPP, ENOSYS:
            throw .unfit(path: path, lacking: "does not reserve room for files")
        default: throw failed("reserve", code, neededBytes)
        }
    }

    /// Over the whole tail.
    private func writeZeros(
        in geometry: DiskGeometry, _ neededBytes: Int
    ) throws(DiskFileError) {
        let byteCount = geometry.tailBytes
        let zeros = [UInt8](repeating: 0, count: min(byteCount, CacheFilesLimits.zerosAtOnceBytes))
        for done in stride(from: 0, to: byteCount, by: zeros.count) {
            let code = zeros.withUnsafeBytes { zeros in
                write(
                    UnsafeRawBufferPointer(rebasing: zeros.prefix(byteCount - done)),
                    at: geometry.tailOffset + done)
            }
            if code != 0 { throw failed("write", code, neededBytes) }
        }
    }

    private func failed(_ step: String, _ code: CInt, _ neededBytes: Int) -> DiskFileError {
        switch code {
        case ENOSPC, EDQUOT, EFBIG:
            .noRoom(path: path, neededBytes: neededBytes, missingBytes: 0)
        default: .call(step, path: path, code: code)
        }
    }
}
