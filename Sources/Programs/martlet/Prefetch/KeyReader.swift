import CacheModel
import CommandSurface
import MartletClient
import SystemPackage

/// Reads keys off an open file; waits where the file does. For one thread.
struct KeyReader: Sendable {
    private static let bytesAtATime = 1 << 16

    /// `nil`: nothing is read.
    private let file: FileDescriptor?
    /// The command that writes the keys, if there is one.
    private let child: ChildProgram?
    private var lines: KeyLines
    private var given: [PrefetchRun.Item] = []
    private var isOver = false

    init(_ file: FileDescriptor, _ lines: KeyLines, _ child: ChildProgram? = nil) {
        (self.file, self.lines, self.child) = (file, lines, child)
    }

    /// Reads nothing: these are the keys.
    init(given keys: [CacheKey], skip: Int) {
        file = nil
        child = nil
        lines = KeyLines(name: "the arguments", skip: skip)
        given = keys.enumerated().dropFirst(skip).map {
            PrefetchRun.Item(number: $0.offset + 1, key: $0.element)
        }
    }

    /// The next keys; none: those were all.
    mutating func next() throws(CommandFailure) -> [PrefetchRun.Item] {
        if !given.isEmpty {
            defer { given = [] }
            return given
        }
        while !isOver {
            try lines.check()
            let bytes = try read()
            let items: [PrefetchRun.Item]
            if bytes.isEmpty {
                isOver = true
                try checkChild()
                items = try lines.finish()
            } else {
                items = try lines.take(bytes[...])
            }
            if !items.isEmpty { return items }
        }
        return []
    }

    private func read() throws(CommandFailure) -> [UInt8] {
        guard let file else { return [] }
        var buffer = [UInt8](repeating: 0, count: Self.bytesAtATime)
        do {
            let count = try buffer.withUnsafeMutableBytes { try file.read(into: $0) }
            return Array(buffer[..<count])
        } catch {
            throw CommandFailure(.refused, "cannot read \(lines.name): \(error)")
        }
    }

    /// A command that fails may have printed only some of the keys.
    private func checkChild() throws(CommandFailure) {
        guard let child else { return }
        let how: String
        switch child.waitUntilEnded() {
        case .exited(0): return
        case .exited(let code): how = "ended with \(code)"
        case .signalled(let number): how = "was ended by signal \(number)"
        }
        throw CommandFailure(
            .refused,
            "the command \(how) after \(FigureText.count(lines.lineCount, "line")); what it "
                + "printed until then was asked for")
    }
}

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

    let name: String
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
