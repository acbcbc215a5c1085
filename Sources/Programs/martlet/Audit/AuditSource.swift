import CommandSurface
import EssentialFoundation
import LibC
import SystemPackage

/// One audit log: the files that were moved aside, the oldest first, and then the one that is
/// written.
struct AuditSource {
    /// What is longer is no line.
    private static let lineBytesMax = 1 << 20
    private static let bytesAtATime = 256 << 10

    let path: String
    /// Lines that are none, or the halves of some.
    private(set) var damagedCount = 0
    private var files: [AuditFileReader]
    private var current: AuditFileReader
    private var buffer: [UInt8] = []
    private var start = 0

    init(_ path: String) throws(CommandFailure) {
        self.path = path
        files = try Self.files(of: path)
        guard !files.isEmpty else {
            throw CommandFailure(
                .unusableConfiguration, "\(path) cannot be read: there is no such file")
        }
        current = files.removeFirst()
    }

    /// The next line, without its end; `nil`: there is no whole one yet.
    mutating func next() throws(CommandFailure) -> [UInt8]? {
        while true {
            if let line = takeLine() {
                if line.count <= Self.lineBytesMax { return line }
                damagedCount += 1
            } else if try !readMore() {
                guard !files.isEmpty else { return nil }
                dropHalf()
                current = files.removeFirst()
            }
        }
    }

    mutating func countDamage() { damagedCount += 1 }

    /// What stands there without an end was never finished.
    mutating func dropHalf() {
        if start < buffer.count { damagedCount += 1 }
        buffer = []
        start = 0
    }

    /// Goes on in the files that were begun since, if any were.
    mutating func follow() throws(CommandFailure) {
        let all = try Self.files(of: path)
        let place = all.firstIndex { $0.identity == current.identity }
        if let place {
            files = Array(all[(place + 1)...])
        } else if let last = all.last {
            files = [last]
        }
    }

    private mutating func takeLine() -> [UInt8]? {
        guard let end = buffer[start...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { start = end + 1 }
        return Array(buffer[start..<end])
    }

    /// - Returns: `false` at the end of the file.
    private mutating func readMore() throws(CommandFailure) -> Bool {
        buffer.removeFirst(start)
        start = 0
        if buffer.count > Self.lineBytesMax {
            // Its end is somewhere behind, and ends a damaged line.
            buffer = [UInt8](repeating: 0, count: 1)
        }
        do {
            return try current.read(Self.bytesAtATime, into: &buffer)
        } catch {
            throw CommandFailure(.unusableConfiguration, "\(path) cannot be read: \(error)")
        }
    }

    /// All of a log, the oldest first. One that is moved meanwhile is not opened twice.
    private static func files(of path: String) throws(CommandFailure) -> [AuditFileReader] {
        var opened: [AuditFileReader] = []
        for place in names(of: path) {
            do throws(Errno) {
                let file = try AuditFileReader(place)
                if !opened.contains(where: { $0.identity == file.identity }) { opened.append(file) }
            } catch .noSuchFileOrDirectory {
                continue
            } catch {
                throw CommandFailure(.unusableConfiguration, "\(place) cannot be read: \(error)")
            }
        }
        return opened
    }

    private static func names(of path: String) -> [String] {
        let whole = URL(fileURLWithPath: path)
        let folder = whole.deletingLastPathComponent().path
        let beginning = whole.lastPathComponent + "."
        let found: [String]
        do {
            found = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            return [path]
        }
        let numbers = found.filter { $0.hasPrefix(beginning) }
            .compactMap { Int($0.dropFirst(beginning.count)) }.filter { $0 > 0 }
        return numbers.sorted(by: >).map { "\(path).\($0)" } + [path]
    }
}

/// One file of an audit log, open for reading; closed with its last reference.
final class AuditFileReader: Sendable {
    /// What tells it from every other file, whatever it is called meanwhile.
    struct Identity: Equatable {
        let device: UInt64
        let number: UInt64
    }

    let identity: Identity
    private let file: FileDescriptor

    /// - Throws: `Errno` if it cannot be opened.
    init(_ path: String) throws(Errno) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        file = FileDescriptor(rawValue: descriptor)
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else {
            let failure = Errno(rawValue: errno)
            file.closeQuietly()
            throw failure
        }
        identity = Identity(
            device: UInt64(truncatingIfNeeded: facts.st_dev), number: UInt64(facts.st_ino))
    }

    deinit { file.closeQuietly() }

    /// Appends at most `count` bytes that follow what was read.
    ///
    /// - Returns: `false` at the end of the file.
    /// - Throws: `Errno`.
    func read(_ count: Int, into bytes: inout [UInt8]) throws -> Bool {
        let part = try [UInt8](unsafeUninitializedCapacity: count) { buffer, taken in
            taken = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
        }
        bytes += part
        return !part.isEmpty
    }
}
