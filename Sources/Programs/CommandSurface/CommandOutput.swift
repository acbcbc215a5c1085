import ArgumentParser
package import ByteCoding

/// What a command has to say, complete and not yet said: rendering is a function from values to
/// one of these, and needs neither cluster nor terminal.
package struct CommandOutput: Hashable {
    /// The program's name, in front of each complaint.
    package var program: String
    /// For standard output, exactly.
    package var bytes: [UInt8]
    /// For standard error: a sentence each, without the program's name.
    package var complaints: [String]
    /// For standard error, as they stand: lines that name a place in a file, which editors find.
    package var problems: [String] = []
    package var status = ExitStatus.done
    /// Those of ``complaints`` that are no reason for a bad ending, or are told by the exit code
    /// alone: ``quieted(confirms:)`` leaves them out.
    private var remarks: Set<String> = []

    package init(
        program: String = "martlet", bytes: [UInt8] = [], complaints: [String] = []
    ) {
        self.program = program
        self.bytes = bytes
        self.complaints = complaints
    }

    /// A report: its JSON for a script, or what `write` says for a person.
    package init(
        _ style: OutputStyle, json: @autoclosure () -> JSONDocument,
        write: (_ output: inout CommandOutput) -> Void
    ) {
        self.init()
        if style == .json { writeLine(json()) } else { write(&self) }
    }

    /// ``bytes`` as text.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    package mutating func write(_ text: String) { bytes += text.utf8 }

    package mutating func writeLine(_ line: String) { write(line + "\n") }

    package mutating func writeLine(_ value: JSONDocument) { writeLine(value.line) }

    /// Adds a sentence, and lets it count for how the command ends.
    package mutating func complain(_ sentence: String, _ status: ExitStatus = .done) {
        complaints.append(sentence)
        if status == .done || status == .notFound { remarks.insert(sentence) }
        self.status = self.status.combined(with: status)
    }

    /// What is left of it under `--quiet`: what was asked for, and errors.
    ///
    /// - Parameter confirms: whether ``bytes`` only say that the work is done.
    package func quieted(confirms: Bool = false) -> CommandOutput {
        var quiet = self
        if confirms { quiet.bytes = [] }
        quiet.complaints.removeAll(where: remarks.contains)
        return quiet
    }

    /// Says it and goes on. What is for standard error is said also if standard output takes no
    /// more.
    package func say() throws(CommandFailure) {
        defer {
            problems.forEach(Console.report)
            complaints.forEach { Console.complain($0, from: program) }
        }
        try Console.write(bytes)
    }

    /// Says it, and ends the command with its status.
    ///
    /// - Parameter last: what is left to do when all is said. Neither its failure nor that of
    ///   standard output takes the other away, or an exit code that weighs more.
    package func finish(_ last: () throws(CommandFailure) -> Void = {}) throws {
        var ending = CommandOutput(program: program)
        ending.status = status
        do throws(CommandFailure) {
            try say()
        } catch {
            ending.complain(error.sentence, error.status)
        }
        do throws(CommandFailure) {
            try last()
        } catch {
            ending.complain(error.sentence, error.status)
        }
        try ending.say()
        if ending.status != .done { throw ExitCode(ending.status.rawValue) }
    }
}

/// The reader that a command writes for.
package enum OutputStyle: Hashable {
    /// A script: one JSON object, or one a line.
    case json
    /// A person.
    case text(isColoured: Bool)

    /// What the flag and the terminal ask for.
    package static func chosen(isJSON: Bool) -> OutputStyle {
        isJSON ? .json : .text(isColoured: Console.usesColour)
    }

    package var isColoured: Bool { self == .text(isColoured: true) }
}

/// Rows of aligned columns for people.
package struct Table {
    /// What a cell says about the state of things, beside its text.
    package enum Tone: String {
        case plain = ""
        case good = "32"
        case warning = "33"
        case bad = "31"
    }

    package struct Cell: ExpressibleByStringLiteral {
        package var text: String
        package var tone = Tone.plain

        package init(_ text: String, _ tone: Tone = .plain) {
            self.text = text
            self.tone = tone
        }

        package init(stringLiteral value: String) { self.init(value) }
    }

    package struct Column {
        package enum Side { case left, right }

        package var title: String
        package var side: Side
        /// Wider cells stick out instead of widening all others.
        package var widthMax: Int

        package static func left(_ title: String, widthMax: Int = .max) -> Column {
            Column(title: title, side: .left, widthMax: widthMax)
        }

        package static func right(_ title: String) -> Column {
            Column(title: title, side: .right, widthMax: .max)
        }
    }

    package let columns: [Column]
    package private(set) var rows: [[Cell]] = []
    /// Widths so far. They only grow, also when rows were removed, so that the parts of a long
    /// table stand below each other.
    private var widths: [Int]

    package init(_ columns: [Column]) {
        self.columns = columns
        widths = columns.map(\.title.count)
    }

    package mutating func add(_ row: [Cell]) {
        precondition(row.count == columns.count, "a row has a cell for each column")
        rows.append(row)
        for (index, cell) in row.enumerated() where cell.text.count <= columns[index].widthMax {
            widths[index] = max(widths[index], cell.text.count)
        }
    }

    /// Takes the rows away and keeps the widths.
    package mutating func removeRows() { rows.removeAll() }

    /// The titles and the rows, a line for each.
    package func text(isColoured: Bool, hasTitles: Bool = true) -> String {
        let titles = hasTitles ? line(columns.map { Cell($0.title) }, isColoured: false) : ""
        return rows.reduce(titles) { $0 + line($1, isColoured: isColoured) }
    }

    private func line(_ cells: [Cell], isColoured: Bool) -> String {
        var line = ""
        for (index, cell) in cells.enumerated() {
            if index > 0 { line += "  " }
            let gap = String(repeating: " ", count: max(0, widths[index] - cell.text.count))
            let text = isColoured ? cell.coloured : cell.text
            line += columns[index].side == .left ? text + gap : gap + text
        }
        while line.last == " " { line.removeLast() }
        return line + "\n"
    }
}

extension Table.Cell {
    fileprivate var coloured: String {
        tone == .plain ? text : "\u{1B}[\(tone.rawValue)m\(text)\u{1B}[0m"
    }
}
