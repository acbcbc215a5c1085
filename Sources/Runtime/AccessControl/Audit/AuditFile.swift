import LibC

/// The file that is written, and the older ones beside it: `FILE`, `FILE.1`, `FILE.2` …, of which
/// the highest number is the oldest.
///
/// One thread owns it. Before each batch it checks whether `FILE` is still the file it has open:
/// another process may have moved it away. The file is locked, so that no other process writes to
/// it.
struct AuditFile: ~Copyable {
    private let settings: AuditSettings
    private var descriptor: CInt

    init(_ settings: AuditSettings) throws(AuditFileError) {
        self.settings = settings
        descriptor = try Self.opened(settings.path)
    }

    deinit { close(descriptor) }

    /// Whether users other than its owner may read the file.
    var isReadableByOthers: Bool {
        var facts = stat()
        return fstat(descriptor, &facts) == 0 && facts.st_mode & 0o077 != 0
    }

    /// Appends complete lines in one write. If not all of them fit, the file ends with the last
    /// complete line that did.
    ///
    /// - Returns: how many bytes of `lines` are written, and why not all.
    mutating func append(_ lines: [UInt8]) -> (count: Int, AuditFileError?) {
        let size: Int
        do throws(AuditFileError) {
            size = try makeRoom(for: lines.count)
        } catch {
            return (0, error)
        }
        let written = lines.withUnsafeBytes { Self.send($0, to: descriptor) }
        if written == lines.count { return (written, nil) }
        let error = AuditFileError.unwritable(path: settings.path, reason: AuditFileError.reason)
        let end = lines.prefix(max(0, written)).lastIndex(of: UInt8(ascii: "\n"))
        let whole = end.map { $0 + 1 } ?? 0
        // If that fails too, a partial line stays, which readers skip.
        if written > whole { _ = ftruncate(descriptor, off_t(size + whole)) }
        return (whole, error)
    }

    /// Fsyncs the written lines.
    func synchronize() { _ = fsync(descriptor) }

    private static func send(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) -> Int {
        while true {
            let count = write(descriptor, bytes.baseAddress, bytes.count)
            // A short write has no error of its own: the next one would have it.
            if count >= 0, count < bytes.count { errno = ENOSPC }
            if count >= 0 || errno != EINTR { return count }
        }
    }

    /// - Returns: the length of the file.
    private mutating func makeRoom(for byteCount: Int) throws(AuditFileError) -> Int {
        try follow()
        let size = Self.size(of: descriptor)
        guard size > 0, size + byteCount > settings.fileBytesMax else { return size }
        synchronize()
        try rotate()
        try reopen()
        return Self.size(of: descriptor)
    }

    private static func size(of descriptor: CInt) -> Int {
        var facts = stat()
        return fstat(descriptor, &facts) == 0 ? Int(facts.st_size) : 0
    }

    /// Opens the path again if another process has moved the file away, or replaced it.
    private mutating func follow() throws(AuditFileError) {
        var (open, named) = (stat(), stat())
        guard fstat(descriptor, &open) == 0, stat(settings.path, &named) == 0,
            open.st_ino == named.st_ino, open.st_dev == named.st_dev
        else { return try reopen() }
    }

    private mutating func reopen() throws(AuditFileError) {
        let fresh = try Self.opened(settings.path)
        close(descriptor)
        descriptor = fresh
    }

    private func rotate() throws(AuditFileError) {
        for number in stride(from: settings.fileCountMax - 2, through: 0, by: -1) {
            let older = "\(settings.path).\(number + 1)"
            let path = number == 0 ? settings.path : "\(settings.path).\(number)"
            guard rename(path, older) != 0, number == 0 || errno != ENOENT else { continue }
            throw .unmovable(path: settings.path, reason: AuditFileError.reason)
        }
    }

    private static func opened(_ path: String) throws(AuditFileError) -> CInt {
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else {
            throw .unopenable(path: path, reason: AuditFileError.reason)
        }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .irregular(path: path)
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw .inUse(path: path)
        }
        return descriptor
    }
}

/// Why the audit's file cannot be written.
package enum AuditFileError: Error, Equatable, CustomStringConvertible {
    case unopenable(path: String, reason: String)
    case inUse(path: String)
    case irregular(path: String)
    case unmovable(path: String, reason: String)
    case unwritable(path: String, reason: String)
    case noThread(String)

    /// One sentence: what is wrong, and what to do.
    package var description: String {
        switch self {
        case .unopenable(let path, let reason):
            "the audit file \(path) cannot be opened: \(reason)"
        case .inUse(let path):
            "the audit file \(path) is written by another process: give each a file of its own"
        case .irregular(let path): "the audit file \(path) is no file: name one that is"
        case .unmovable(let path, let reason):
            "the audit file \(path) is as long as it may be and cannot be moved aside: \(reason)"
        case .unwritable(let path, let reason):
            "the audit file \(path) cannot be written: \(reason)"
        case .noThread(let reason): "the audit log cannot be started: \(reason)"
        }
    }

    /// The system's words for its last error.
    static var reason: String { String(cString: strerror(errno)) }
}

/// The calendar clock of the audit log.
package enum AuditClock {
    /// Since 1970.
    package static var milliseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
