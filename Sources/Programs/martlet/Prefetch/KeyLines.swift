import CacheModel
import CommandSurface
import MartletClient

/// Keys out of bytes, a line each: every byte of a line but its end belongs to its key.
///
/// A line that is no key ends the reading, after the keys before it: to pass over it silently would
/// look as if it had been loaded.
struct KeyLines {
    /// Where keys come from.
    enum Place: Equatable, Sendable {
        case arguments([CacheKey])
        case file(String)
        case input
        case command(String)

        /// As a sentence names it.
        var name: String {
            switch self {
            case .arguments: "the arguments"
            case .file(let path): HarmlessText.line(path)
            case .input: "standard input"
            case .command: "what the command printed"
            }
        }
    }

    private let name: String
    private let skip: Int
    /// Lines so far, the last one too if it has no end yet.
    private(set) var lineCount = 0
    private var line: [UInt8] = []
    private var fault: CommandFailure?

    /// - Parameters:
    ///   - name: of their source, for sentences.
    ///   - skip: so many lines are passed over, whatever is in them.
    init(name: String, skip: Int) {
        self.name = name
        self.skip = skip
    }

    /// - Throws: what is wrong with the line after the last key that was returned.
    func check() throws(CommandFailure) {
        if let fault { throw fault }
    }

    /// Takes more bytes.
    ///
    /// - Returns: the keys that are whole now, each with the number of its line, from 1.
    /// - Throws: what ``check()`` would, if there is no key before it.
    mutating func take(_ bytes: ArraySlice<UInt8>) throws(CommandFailure) -> [PrefetchRun.Item] {
        try check()
        var items: [PrefetchRun.Item] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                end(into: &items)
            } else if line.count <= CacheKey.bytesMax {
                // One byte more tells that it is too long; the rest need not be kept.
                line.append(byte)
            }
            if fault != nil { break }
        }
        if items.isEmpty { try check() }
        return items
    }

    /// There is no more; the last line may have had no end.
    mutating func finish() throws(CommandFailure) -> [PrefetchRun.Item] {
        try check()
        var items: [PrefetchRun.Item] = []
        if !line.isEmpty { end(into: &items) }
        try check()
        return items
    }

    private mutating func end(into items: inout [PrefetchRun.Item]) {
        lineCount += 1
        defer { line.removeAll(keepingCapacity: true) }
        guard lineCount > skip else { return }
        guard line.last != UInt8(ascii: "\r") else {
            return refuse("ends with a carriage return; write it with newlines alone")
        }
        guard !line.isEmpty else { return refuse("is empty; take it out") }
        guard let key = CacheKey(bytes: line) else {
            return refuse("is too long: a key has at most \(CacheKey.bytesMax) bytes; take it out")
        }
        items.append(PrefetchRun.Item(number: lineCount, key: key))
    }

    private mutating func refuse(_ why: String) {
        fault = CommandFailure(.unusableInput, "line \(lineCount) of \(name) \(why)")
    }
}
