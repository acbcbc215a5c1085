import CPlatform
import CacheDisk
import LibC

extension TierFile {
    /// Writes all of it; on an error any part may have been written.
    ///
    /// - Returns: 0, or an error number.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> CInt {
        faults.run(.write) {
            var written = 0
            while written < bytes.count {
                let count = pwrite(
                    descriptor, bytes.baseAddress.map { $0 + written },
                    min(bytes.count - written, faults.bytesAtOnceMax), off_t(offset + written))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return count < 0 ? errno : EIO }
                written += count
            }
            return 0
        }
    }

    /// Reads so many bytes from `offset` on, into uninitialized memory.
    func read(_ byteCount: Int, at offset: Int) -> DiskCompletion.Outcome {
        var code: CInt = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, filled in
            code = faults.run(.read) {
                while filled < byteCount {
                    let count = pread(
                        descriptor, buffer.baseAddress.map { $0 + filled },
                        min(byteCount - filled, faults.bytesAtOnceMax), off_t(offset + filled))
                    if count < 0, errno == EINTR { continue }
                    guard count > 0 else { return count < 0 ? errno : 0 }
                    filled += count
                }
                return 0
            }
        }
        if code != 0 { return .failed(DiskFailure(errorNumber: code)) }
        return bytes.count == byteCount ? .read(bytes) : .failed(.cut)
    }

    /// Has what was written there go to the disk while more is written: a segment is synchronized
    /// at its end, and would have all of it before it then.
    func beginWriting(_ byteCount: Int, at offset: Int) {
        martlet_file_begin_writing(descriptor, Int64(offset), Int64(byteCount))
    }

    /// Makes what was written survive losing power, and what was stored in a mapping of the file.
    ///
    /// - Returns: 0, or an error number.
    func synchronize() -> CInt {
        faults.run(.synchronize) { martlet_file_synchronize(descriptor) }
    }
}
