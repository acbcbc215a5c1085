public import ByteCoding
import CacheModel

/// The keys that are admitted, with their rights: a snapshot, held by each thread that answers
/// requests.
///
///     file ─ AccessList(parsing:) ─▶ entries ─ AccessTable: numbers ─▶ shards, publisher
///                    │                              ▲
///                    └ AccessListProblem: line, cause, remedy
///
/// The file has a line for each key. Lines that begin with `#` are ignored.
///
///     # name   public key           roles         patterns              until
///     n1       3f8a… (64 digits)    node
///     web      9a01…                read,write    sessions,images/t:    2027-01-31
///     batch    c55e…                read          *                     ops=2000/s bytes=10MiB/s
///     ops      b7c4…                admin
///     end
///
/// The line `end` may close it: nothing follows then, and a list without it that takes the place of
/// one with it is half written. The line `none` says that it is meant to be empty.
public struct AccessList: Hashable, Sendable {
    /// Most lines with a key.
    public static let entriesMax = 10_000
    /// Longest file, in bytes.
    public static let bytesMax = 4 << 20

    public let entries: [AccessEntry]
    private let indices: [PublicKey: Int]
    /// Which of the lines without a key it has.
    private let marks: Set<Mark>

    /// A line that is one word.
    private enum Mark: String {
        case none, end
    }

    private init(
        _ entries: [AccessEntry], _ indices: [PublicKey: Int], _ marks: Set<Mark> = []
    ) {
        self.entries = entries
        self.indices = indices
        self.marks = marks
    }

    /// The list without entries.
    public static let empty = AccessList([], [:])

    /// The entry of a key; `nil` if it has none.
    public func entry(of key: PublicKey) -> AccessEntry? {
        indices[key].map { entries[$0] }
    }

    /// Whether it may take the place of another one: what an editor or a copy has not finished
    /// writing may be a list, too.
    ///
    /// A writer that never ends its last line may go on so: a missing line break says something
    /// only after a list that had one, and nothing below the line that closes the list.
    ///
    /// - Parameters:
    ///   - text: the bytes that this list was read from.
    ///   - oldText: those of `old`.
    /// - Throws: why it looks like a part of a list.
    package func checkReplacing(
        _ old: AccessList, text: [UInt8], oldText: [UInt8]
    ) throws(AccessListProblem) {
        let isClosed = marks.contains(.end)
        guard
            isClosed || text.isEmpty || Self.hasLineBreak(text) || !Self.hasLineBreak(oldText)
        else {
            throw AccessListProblem(line: 0, reason: .unfinished)
        }
        guard isClosed || !old.marks.contains(.end) else {
            throw AccessListProblem(line: 0, reason: .unclosed)
        }
        guard !entries.isEmpty || old.entries.isEmpty || marks.contains(.none) else {
            throw AccessListProblem(line: 0, reason: .emptied)
        }
    }

    /// Whether the last line of a text is ended.
    private static func hasLineBreak(_ text: [UInt8]) -> Bool {
        text.last == UInt8(ascii: "\n") || text.last == UInt8(ascii: "\r")
    }

    /// When the next of its entries ends, after a moment; `nil` if none does.
    public func nextEnd(after secondsSince1970: Int) -> Int? {
        entries.compactMap(\.endsAt).filter { $0 > secondsSince1970 }.min()
    }
}

extension AccessList {
    /// Reads the text of a list.
    ///
    /// - Throws: the first line that is wrong, and why. Nothing of a wrong list is taken.
    public init(parsing text: String) throws(AccessListProblem) {
        var entries: [AccessEntry] = []
        var indices: [PublicKey: Int] = [:]
        var lines: [Int] = []
        var number = 0
        var marks: Set<Mark> = []
        // What some editors put before the first line says nothing.
        let scalars = text.unicodeScalars
        let said = Substring(scalars.first == "\u{FEFF}" ? scalars.dropFirst() : scalars[...])
        // CR and LF together are one character, and not the one that LF is.
        for line in said.split(omittingEmptySubsequences: false, whereSeparator: Self.endsLine) {
            number += 1
            let words = line.split { $0 == " " || $0 == "\t" }
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            do throws(AccessListProblem.Reason) {
                guard !marks.contains(.end) else { throw .afterEnd }
                if words.count == 1, let mark = Mark(rawValue: String(first)) {
                    marks.insert(mark)
                    continue
                }
                let entry = try Self.entry(of: words)
                if let known = indices[entry.key] { throw .keyTwice(line: lines[known]) }
                guard entries.count < Self.entriesMax else { throw .tooManyEntries }
                indices[entry.key] = entries.count
                entries.append(entry)
                lines.append(number)
            } catch {
                throw AccessListProblem(line: number, reason: error)
            }
        }
        self.init(entries, indices, marks)
    }

    private static func endsLine(_ character: Character) -> Bool {
        character == "\n" || character == "\r\n" || character == "\r"
    }

    private static func entry(
        of line: [Substring]
    ) throws(AccessListProblem.Reason) -> AccessEntry {
        let words = line.filter { !Allowance.isWord($0) }
        guard words.count >= 3 else { throw .tooFewWords }
        guard words.count <= 5 else { throw .tooManyWords }
        guard AccessName.isName(words[0]) else { throw .name(AccessName.shown(words[0])) }
        guard let key = PublicKey(words[1]) else { throw .key }
        let rights = try rights(words[2])
        let patterns = words.count > 3 ? try patterns(words[3]) : [.everything]
        guard !rights.contains(.node) || patterns.contains(.everything) else {
            throw .nodeWithPatterns
        }
        return AccessEntry(
            (String(words[0]), key), rights, patterns,
            until: words.count > 4 ? try AccessDate.end(words[4]) : nil,
            try Allowance(line.filter { Allowance.isWord($0) }))
    }

    private static func rights(_ word: Substring) throws(AccessListProblem.Reason) -> AccessRights {
        var rights: AccessRights = []
        for role in word.split(separator: ",", omittingEmptySubsequences: false) {
            guard !role.isEmpty else { throw .noRole }
            guard let known = AccessRights(role: role) else { throw .role(AccessName.shown(role)) }
            rights.formUnion(known)
        }
        return rights
    }

    private static func patterns(
        _ word: Substring
    ) throws(AccessListProblem.Reason) -> [KeyPattern] {
        try word.split(separator: ",", omittingEmptySubsequences: false)
            .map { (part) throws(AccessListProblem.Reason) in try KeyPattern(part) }
    }
}

/// The last word of an entry: until when it holds.
enum AccessDate {
    /// Seconds since 1970 from which on the entry does not hold: the end of a day, or a moment.
    static func end(_ word: Substring) throws(AccessListProblem.Reason) -> Int {
        guard word.utf8.count <= 20, let moment = AuditTime.milliseconds(of: String(word)) else {
            throw .date(AccessName.shown(word))
        }
        return Int(moment / 1_000) + (word.utf8.count == 10 ? 86_400 : 0)
    }
}

/// The names of the list's entries, and words of it that are shown in a complaint.
enum AccessName {
    private static let shownMax = 80

    /// A node's id is one, so both have the same bounds.
    static func isName(_ text: Substring) -> Bool { NodeID(String(text)) != nil }

    /// A word as it may be shown: cut when long, and nothing that could steer a terminal.
    static func shown(_ word: Substring) -> String {
        var shown = ""
        for scalar in word.unicodeScalars.prefix(shownMax) {
            shown.unicodeScalars.append(scalar.value >= 0x20 && scalar.value < 0x7F ? scalar : "?")
        }
        return word.unicodeScalars.count > shownMax ? shown + "…" : shown
    }
}
