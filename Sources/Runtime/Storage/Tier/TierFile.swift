import CPlatform
import CacheDisk
import LibC

/// The descriptor of an open file, and the calls that are made with it. The code that opened it
/// closes it; until then any thread may call.
struct TierFile: Sendable {
    let path: String
    let descriptor: CInt
    let faults: DiskFaults

    /// Opens the file, which is locked until it is closed. Makes it, and the directory that it lies
    /// in, if they are missing.
    init(_ path: String, faults: DiskFaults) throws(DiskFileError) {
        self.path = path
        self.faults = faults
        try Self.makeDirectory(of: path)
        // A pipe or a device must not make this wait.
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
        if descriptor < 0 {
            let code = errno
            throw code == EISDIR ? .notAFile(path: path) : .call("open", path: path, code: code)
        }
        do throws(DiskFileError) {
            guard try status().st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: path) }
            try lock()
        } catch {
            letGo()
            throw error
        }
        martlet_file_expect_no_order(descriptor)
    }

    private static func makeDirectory(of path: String) throws(DiskFileError) {
        guard let directory = directory(of: path) else { return }
        if mkdir(directory, 0o700) != 0, errno != EEXIST {
            throw .call("make", path: directory, code: errno)
        }
    }

    private static func directory(of path: String) -> String? {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return nil }
        return String(path[..<slash])
    }

    private func lock() throws(DiskFileError) {
        let code = martlet_file_lock(descriptor)
        if code == EWOULDBLOCK { throw .inUse(path: path) }
        if code != 0 { throw .call("lock", path: path, code: code) }
    }

    /// Gives the lock back, if there is one, and closes the file. No call may follow.
    func letGo() {
        martlet_file_unlock(descriptor)
        close(descriptor)
    }

    func status() throws(DiskFileError) -> stat {
        var found = stat()
        guard fstat(descriptor, &found) == 0 else {
            throw .call("look at", path: path, code: errno)
        }
        return found
    }

    func sizeBytes() throws(DiskFileError) -> Int { try Int(status().st_size) }

    func imprint() throws(DiskFileError) -> FileImprint {
        var (number, birth): (UInt64, UInt64) = (0, 0)
        let code = martlet_file_imprint(descriptor, &number, &birth)
        guard code == 0 else { throw .call("look at", path: path, code: code) }
        return FileImprint(number: number, birth: birth)
    }

    /// Makes the file's name survive losing power.
    func synchronizeName() throws(DiskFileError) {
        let directory = Self.directory(of: path) ?? (path.hasPrefix("/") ? "/" : ".")
        let opened = open(directory, O_RDONLY | O_CLOEXEC)
        guard opened >= 0 else { throw .call("open", path: directory, code: errno) }
        defer { close(opened) }
        // Some file systems do not synchronize directories; then there is nothing to be done.
        if fsync(opened) != 0, errno != EINVAL {
            throw .call("synchronize", path: directory, code: errno)
        }
    }
}
