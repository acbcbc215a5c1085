/// One small file of a process, in a directory that is locked as long as this lives. One thread
/// calls.
package final class StateFile: Sendable {
    private let directory: LogDirectory
    private let name: String

    /// Makes the directory if it is missing, and locks it.
    ///
    /// - Throws: ``LogFileError/stateInUse(directory:)`` while another process has it.
    package init(_ path: String, name: String, faults: LogFaults = .none) throws(LogFileError) {
        do {
            directory = try LogDirectory(path, faults: faults)
        } catch .inUse(let directory) {
            throw .stateInUse(directory: directory)
        }
        self.name = name
        try directory.removeUnfinished { $0 == name }
    }

    /// All of it; `nil` if there is none.
    package func read() throws(LogFileError) -> [UInt8]? { try directory.readWhole(name) }

    /// Has the file hold these bytes and nothing else, durably. On an error it is as it was.
    package func replace(with bytes: [UInt8]) throws(LogFileError) {
        try directory.replace(name, with: bytes)
    }

    /// Lets another process have the directory. Nothing is written after this.
    package func unlock() { directory.unlock() }
}
