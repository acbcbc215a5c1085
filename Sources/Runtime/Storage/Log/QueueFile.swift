import LibC

/// The file of one node's write queue, in a directory that is locked as long as this lives. What is
/// in it, and where it ends, its caller knows. One thread calls.
package final class QueueFile: Sendable {
    private static let name = "journal"

    private let directory: LogDirectory

    /// Makes the directory if it is missing, and locks it.
    package init(_ path: String, faults: LogFaults = .none) throws(LogFileError) {
        do {
            directory = try LogDirectory(path, faults: faults)
        } catch .inUse(let directory) {
            throw .queueInUse(directory: directory)
        }
        try directory.removeUnfinished { $0 == Self.name }
    }

    package var path: String { directory.path + "/" + Self.name }

    /// All of it; `nil` if there is none.
    package func read() throws(LogFileError) -> [UInt8]? {
        try directory.readWhole(Self.name)
    }

    /// Has the file hold these bytes and nothing else, durably. On an error it is as it was.
    package func replace(with bytes: [UInt8]) throws(LogFileError) {
        try directory.replace(Self.name, with: bytes)
    }

    /// Writes behind what is there, and makes it survive losing power. On an error some of it may
    /// be there.
    ///
    /// - Parameter offset: where what is there ends.
    package func append(_ bytes: [UInt8], at offset: Int) throws(LogFileError) {
        let file = try SegmentFile(path, .writing, faults: directory.faults)
        let outcome = bytes.withUnsafeBytes { bytes in
            Result { () throws(LogFileError) in
                try file.write(bytes, at: offset)
                try file.synchronize()
            }
        }
        try outcome.get()
    }

    /// Lets another node have the directory. Nothing is written after this.
    package func unlock() { directory.unlock() }
}
