import CacheModel
import CommandSurface
import MartletClient
import SystemPackage

/// Reads keys off an open file; waits where the file does. For one thread.
struct KeyReader: Sendable {
    private static let bytesAtATime = 1 << 16

    /// `nil`: nothing is read.
    private let file: FileDescriptor?
    private let name: String
    /// The command that writes the keys, if there is one.
    private let child: ChildProgram?
    private var lines: KeyLines
    private var given: [PrefetchRun.Item] = []
    private var isOver = false

    init(
        _ file: FileDescriptor, _ lines: KeyLines, name: String, _ child: ChildProgram? = nil
    ) {
        self.file = file
        self.lines = lines
        self.name = name
        self.child = child
    }

    /// Reads nothing: these are the keys.
    init(given keys: [CacheKey], skip: Int) {
        file = nil
        child = nil
        name = "the arguments"
        lines = KeyLines(name: name, skip: skip)
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
            throw CommandFailure(.refused, "cannot read \(name): \(error)")
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
