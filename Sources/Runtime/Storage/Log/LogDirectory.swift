import ByteCoding
import CacheInvalidation
import LibC

/// The directory of one log, locked as long as this lives:
///
///     lock                                  held while a publisher runs
///     stamp                                 what the log says about itself
///     floors                                the floors of its records
///     pacing                                the pacings that run, or ended lately
///     nodes                                 the last runs of each node
///     cluster                               the identity of the cluster
///     slots                                 the owners of slots
///     0000000001-000000000000000.segment    records, in order of their names
///     *.new                                 being made; removed at the next start
///
/// A file gets its name only once it is whole and fsynced, and the directory is fsynced after it.
final class LogDirectory: Sendable {
    let path: String
    let faults: LogFaults
    private let lockFile: SegmentFile

    /// Makes the directory if it is missing, and locks it.
    init(_ path: String, faults: LogFaults) throws(LogFileError) {
        self.path = path
        self.faults = faults
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            throw .call("make", path: path, code: errno)
        }
        lockFile = try SegmentFile(path + "/lock", .keeping, faults: faults)
        guard try lockFile.lock() else { throw .inUse(directory: path) }
    }

    /// Lets another publisher have the directory. Nothing is written after this.
    func unlock() { lockFile.unlock() }

    /// All names in the directory that end so.
    private func names(endingIn suffix: String) throws(LogFileError) -> [String] {
        guard let stream = opendir(path) else { throw .call("read", path: path, code: errno) }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(suffix) { names.append(name) }
        }
        return names
    }

    /// Of all segments; other files are not ours and are left alone.
    func segmentNames() throws(LogFileError) -> [SegmentName] {
        try names(endingIn: SegmentName.suffix).compactMap { SegmentName($0) }
    }

    /// Removes files that an earlier run did not finish. Other files are not ours and are left
    /// alone.
    ///
    /// - Parameter isOurs: whether a file of that name is made here.
    func removeUnfinished(_ isOurs: (String) -> Bool) throws(LogFileError) {
        for name in try names(endingIn: Self.unfinished)
        where isOurs(String(name.dropLast(Self.unfinished.count))) {
            try remove(path + "/" + name)
        }
    }

    private static let unfinished = ".new"

    /// Whether a log has a file of that name.
    static func isLogFile(_ name: String) -> Bool {
        ["stamp", "floors"].contains(name) || LogState(rawValue: name) != nil
            || SegmentName(name) != nil
    }

    func path(of name: SegmentName) -> String { path + "/" + name.description }

    func open(
        _ name: SegmentName, _ use: SegmentFile.Use
    ) throws(LogFileError) -> SegmentFile {
        try SegmentFile(path(of: name), use, faults: faults)
    }

    /// Makes an empty segment, durably. Where that fails it may have its name all the same: see
    /// ``unmake(_:)``.
    ///
    /// - Returns: the file, open for writing, with room for `reserving` bytes.
    func create(_ header: SegmentHeader, reserving: Int) throws(LogFileError) -> SegmentFile {
        var writer = ByteWriter(capacityBytes: SegmentHeader.bytes)
        header.encode(into: &writer)
        let final = path(of: header.name)
        let made = try SegmentFile(final + ".new", .making, called: final, faults: faults)
        try made.reserve(reserving)
        try made.write(writer.bytes, at: 0)
        try made.synchronize()
        try rename(final + ".new", to: final)
        return made
    }

    /// Removes, durably, a segment that was not made whole.
    func unmake(_ name: SegmentName) throws(LogFileError) {
        try remove(name)
        try synchronize()
    }

    func remove(_ name: SegmentName) throws(LogFileError) { try remove(path(of: name)) }

    private func remove(_ path: String) throws(LogFileError) {
        try faults.run(.remove, on: path) {
            unlink(path) == 0 || errno == ENOENT ? 0 : errno
        }
    }

    /// The bytes of the stamp's file, and its imprint; `nil` if there is none.
    func readStamp() throws(LogFileError) -> (bytes: [UInt8], imprint: LogStamp.Imprint)? {
        do throws(LogFileError) {
            let file = try SegmentFile(path + "/stamp", .reading, faults: faults)
            let imprint = try file.imprint
            // One byte more than it should hold, so that one that grew is noticed.
            return (
                try file.read(LogStamp.bytes + 1, at: 0),
                LogStamp.Imprint(file: imprint.file, birth: imprint.birth)
            )
        } catch .call(_, _, ENOENT) {
            return nil
        }
    }

    /// Replaces the stamp as a whole, durably. Its imprint is filled in.
    func write(_ stamp: LogStamp) throws(LogFileError) {
        let file = try SegmentFile(path + "/stamp.new", .making, faults: faults)
        let imprint = try file.imprint
        var stamp = stamp
        stamp.imprint = LogStamp.Imprint(file: imprint.file, birth: imprint.birth)
        var writer = ByteWriter(capacityBytes: LogStamp.bytes)
        stamp.encode(into: &writer)
        try file.write(writer.bytes, at: 0)
        try file.synchronize()
        try rename(path + "/stamp.new", to: path + "/stamp")
    }

    // MARK: Floors

    /// The bytes of the file of the floors; `nil` if there is none.
    func readFloors() throws(LogFileError) -> [UInt8]? {
        try readWhole("floors")
    }

    func removeFloors() throws(LogFileError) {
        try remove(path + "/floors")
        try synchronize()
    }

    /// A new file for the floors, without its name yet.
    func makeFloors() throws(LogFileError) -> SegmentFile {
        try SegmentFile(path + "/floors.new", .making, faults: faults)
    }

    /// What was made is the file of the floors from now on.
    func takeOverFloors() throws(LogFileError) {
        try rename(path + "/floors.new", to: path + "/floors")
    }

    // MARK: State beside the log

    /// The bytes of the file of the pacings; `nil` if there is none.
    func readPacings() throws(LogFileError) -> [UInt8]? {
        try readWhole(LogState.pacings.rawValue)
    }

    /// The bytes of the file of the nodes' runs, made durable: the process that wrote it may have
    /// been killed before it was. `nil` if there is none, and no bytes if it cannot be read.
    func readNodes() -> [UInt8]? {
        do throws(LogFileError) {
            guard let bytes = try readWhole(LogState.nodes.rawValue) else { return nil }
            try synchronize()
            return bytes
        } catch {
            return []
        }
    }

    /// Whether there is a file of it.
    func has(_ state: LogState) -> Bool { access(path + "/" + state.rawValue, F_OK) == 0 }

    /// The bytes of the file; `nil` if there is none, and no bytes if it cannot be read.
    func read(_ state: LogState) -> [UInt8]? {
        do throws(LogFileError) {
            return try readWhole(state.rawValue)
        } catch {
            return []
        }
    }

    /// Replaces the file as a whole, durably.
    func write(_ bytes: [UInt8], as state: LogState) throws(LogFileError) {
        try replace(state.rawValue, with: bytes)
    }

    /// Removes the file, durably.
    func remove(_ state: LogState) throws(LogFileError) {
        try remove(path + "/" + state.rawValue)
        try synchronize()
    }

    // MARK: Small files

    func readWhole(_ name: String) throws(LogFileError) -> [UInt8]? {
        do throws(LogFileError) {
            let file = try SegmentFile(path + "/" + name, .reading, faults: faults)
            return try file.readWhole(LogFilesLimits.smallFileBytesMax)
        } catch .call(_, _, ENOENT) {
            return nil
        }
    }

    func replace(_ name: String, with bytes: [UInt8]) throws(LogFileError) {
        let final = path + "/" + name
        do throws(LogFileError) {
            let file = try SegmentFile(final + ".new", .making, faults: faults)
            var writer = ByteWriter(capacityBytes: bytes.count)
            writer.append(bytes)
            try file.write(writer.bytes, at: 0)
            try file.synchronize()
        } catch {
            // What was written of it takes room that may be what is missing.
            unlink(final + ".new")
            throw error
        }
        try rename(final + ".new", to: final)
    }

    private func rename(_ made: String, to final: String) throws(LogFileError) {
        try faults.run(.rename, on: final) { renamed(made, final) == 0 ? 0 : errno }
        try synchronize()
    }

    /// Makes names that were added and removed survive a power failure.
    func synchronize() throws(LogFileError) {
        let directory = try SegmentFile(path, .reading, faults: faults)
        try directory.synchronize()
    }
}

/// The system's `rename`, which a method of that name hides.
private func renamed(_ made: String, _ final: String) -> CInt { rename(made, final) }
