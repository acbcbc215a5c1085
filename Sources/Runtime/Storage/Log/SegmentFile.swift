import CPlatform
import LibC

/// An open file, closed with its last reference. It keeps no state of its contents.
final class SegmentFile: Sendable {
    let path: String
    private let descriptor: CInt
    private let faults: LogFaults

    /// How a file is opened.
    enum Use {
        /// It is there and only read.
        case reading
        /// It is there and written.
        case writing
        /// It is made, or emptied if it is there.
        case making
        /// It is made if it is missing, and left as it is otherwise.
        case keeping

        var flags: CInt {
            switch self {
            case .reading: O_RDONLY
            case .writing: O_RDWR
            case .making: O_RDWR | O_CREAT | O_TRUNC
            case .keeping: O_RDWR | O_CREAT
            }
        }
    }

    /// - Parameter name: what the file is called later, if not what it is opened as.
    init(
        _ path: String, _ use: Use, called name: String? = nil, faults: LogFaults
    ) throws(LogFileError) {
        self.path = name ?? path
        self.faults = faults
        var opened: CInt = -1
        let call = {
            opened = open(path, use.flags | O_CLOEXEC, 0o600)
            return opened < 0 ? errno : 0
        }
        if use.flags & O_CREAT != 0 {
            try faults.run(.create, on: path, call)
        } else {
            let code = call()
            guard code == 0 else { throw .call("open", path: path, code: code) }
        }
        descriptor = opened
    }

    deinit { close(descriptor) }

    var sizeBytes: Int {
        get throws(LogFileError) {
            var found = stat()
            guard fstat(descriptor, &found) == 0 else {
                throw .call("look at", path: path, code: errno)
            }
            return Int(found.st_size)
        }
    }

    /// At most `count` bytes from `offset` on; fewer where the file ends.
    func read(_ count: Int, at offset: Int) throws(LogFileError) -> [UInt8] {
        var code: CInt = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let got = pread(
                    descriptor, buffer.baseAddress.map { $0 + filled }, count - filled,
                    off_t(offset + filled))
                if got < 0, errno == EINTR { continue }
                if got < 0 { code = errno }
                guard got > 0 else { return }
                filled += got
            }
        }
        guard code == 0 else { throw .call("read", path: path, code: code) }
        return bytes
    }

    /// All of it; of one that is longer than any can be, as much as one can.
    func readWhole(_ bytesMax: Int) throws(LogFileError) -> [UInt8] {
        try read(min(try sizeBytes, bytesMax), at: 0)
    }

    /// Writes all of it; on an error some of it may have been written.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(LogFileError) {
        try faults.run(.write, on: path) {
            var written = 0
            while written < bytes.count {
                let count = pwrite(
                    descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written,
                    off_t(offset + written))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return count < 0 ? errno : EIO }
                written += count
            }
            return 0
        }
    }

    func synchronize() throws(LogFileError) {
        try faults.run(.synchronize, on: path) { martlet_file_synchronize(descriptor) }
    }

    /// Reserves room up to `length`. A system that cannot is no error: the file grows then.
    func reserve(_ length: Int) throws(LogFileError) {
        try faults.run(.reserve, on: path) {
            let code = martlet_file_reserve(descriptor, 0, Int64(length))
            return code == EOPNOTSUPP || code == ENOSYS || code == EINVAL ? 0 : code
        }
    }

    /// Takes away everything from `length` on.
    func cut(to length: Int) throws(LogFileError) {
        try faults.run(.cut, on: path) { ftruncate(descriptor, off_t(length)) == 0 ? 0 : errno }
    }

    /// Which file this is.
    var imprint: (file: UInt64, birth: UInt64) {
        get throws(LogFileError) {
            var (file, birth): (UInt64, UInt64) = (0, 0)
            let code = martlet_file_imprint(descriptor, &file, &birth)
            guard code == 0 else { throw .call("look at", path: path, code: code) }
            return (file, birth)
        }
    }

    /// - Returns: whether the file is locked for this one now.
    func lock() throws(LogFileError) -> Bool {
        let code = martlet_file_lock(descriptor)
        if code == EWOULDBLOCK { return false }
        guard code == 0 else { throw .call("lock", path: path, code: code) }
        return true
    }

    /// Gives the lock back.
    func unlock() { martlet_file_unlock(descriptor) }
}
