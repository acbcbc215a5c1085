import CPlatform
import CacheDisk

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension TierFile {
    /// Makes the file what its geometry says: all of it reserved, the tail zeros that lie on the
    /// disk, everything synchronized.
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
    func makeAnew(_ geometry: DiskGeometry) throws(DiskFileError) {
        try checkRoom(for: geometry.fileBytes)
        try empty()
        do throws(DiskFileError) {
            try reserve(geometry.fileBytes)
            try writeZeros(in: geometry)
            let code = synchronize()
            if code != 0 { throw failed("synchronize", code, geometry.fileBytes) }
            try synchronizeName()
        } catch {
            // Space that is of no use to a tier goes back to the file system.
            do throws(DiskFileError) { try empty() } catch {}
            throw error
        }
    }

    /// Makes sure that the file has the size that its geometry says, and all its room.
    func checkWhole(_ geometry: DiskGeometry) throws(DiskFileError) {
        let size = try sizeBytes()
        guard size == geometry.fileBytes else {
            throw .wrongSize(path: path, foundBytes: size, expectedBytes: geometry.fileBytes)
        }
        try reserve(geometry.fileBytes)
    }

    private func checkRoom(for neededBytes: Int) throws(DiskFileError) {
        var room = statvfs()
        guard fstatvfs(descriptor, &room) == 0 else {
            throw .call("look at the disk of", path: path, code: errno)
        }
        // A file system without a size of its own tells zero.
        guard room.f_blocks > 0 else { return }
        let own = try Int(status().st_blocks) * 512
        let free = Int(room.f_bavail) * Int(room.f_frsize) + own
        guard neededBytes <= free else {
            throw .noRoom(path: path, neededBytes: neededBytes, missingBytes: neededBytes - free)
        }
    }

    private func empty() throws(DiskFileError) {
        guard ftruncate(descriptor, 0) == 0 else { throw .call("empty", path: path, code: errno) }
    }

    private func reserve(_ byteCount: Int) throws(DiskFileError) {
        let code = faults.run(.reserve) {
            var code: CInt
            repeat { code = martlet_file_reserve(descriptor, Int64(byteCount)) } while code == EINTR
            return code
        }
        switch code {
        case 0: return
        case EOPNOTSUPP, ENOSYS:
            throw .unfit(path: path, lacking: "does not reserve room for files")
        default: throw failed("reserve", code, byteCount)
        }
    }

    /// Over the whole tail.
    private func writeZeros(in geometry: DiskGeometry) throws(DiskFileError) {
        let byteCount = geometry.tailBytes
        let zeros = [UInt8](repeating: 0, count: min(byteCount, CacheFilesLimits.zerosAtOnceBytes))
        for done in stride(from: 0, to: byteCount, by: zeros.count) {
            let code = zeros.withUnsafeBytes { zeros in
                write(
                    UnsafeRawBufferPointer(rebasing: zeros.prefix(byteCount - done)),
                    at: geometry.tailOffset + done)
            }
            if code != 0 { throw failed("write", code, geometry.fileBytes) }
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
