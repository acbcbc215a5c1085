/// What is wrong with a line of the list, with its remedy.
public struct AccessListProblem: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Reason: Error, Hashable, Sendable {
        case tooFewWords
        case tooManyWords
        case name(String)
        case key
        case keyTwice(line: Int)
        case role(String)
        case noRole
        case namespace(String)
        case beginning(String)
        case star(String)
        case date(String)
        case allowance(String)
        case allowanceTwice(String)
        case nodeWithPatterns
        case tooManyEntries
        case notText
        case afterEnd
        case unfinished
        case unclosed
        case emptied
    }

    /// From 1; 0 where it is about the whole.
    public let line: Int
    public let reason: Reason

    public init(line: Int, reason: Reason) {
        self.line = line
        self.reason = reason
    }

    public var description: String {
        line > 0 ? "line \(line): \(reason.sentence)" : reason.sentence
    }
}

extension AccessListProblem.Reason {
    public var sentence: String {
        switch self {
        case .tooFewWords:
            "a name, a public key and roles are wanted: NAME KEY ROLES [PATTERNS [UNTIL]] "
                + "[ops=N/s …]"
        case .tooManyWords:
            "there are more than five words without =: NAME KEY ROLES [PATTERNS [UNTIL]] "
                + "[ops=N/s …]; lists are written with commas and without spaces"
        case .name(let text):
            "“\(text)” is no name: 1 to 64 of a–z A–Z 0–9 . _ -"
        case .key:
            "the second word is no public key: 64 hexadecimal digits, as martlet keygen prints them"
        case .keyTwice(let line):
            "this key is already in line \(line): give each holder a key of its own, or put "
                + "all of its roles in one line"
        case .role(let text):
            "“\(text)” is no role; there are "
                + AccessRights.roles.map(\.word).joined(separator: ", ")
        case .noRole: "a role is wanted between commas"
        case .namespace(let text):
            "“\(text)” is neither * nor a namespace, which has 1 to 64 of a–z A–Z 0–9 . _ -, nor "
                + "the beginning of some, such as team-*"
        case .beginning(let text):
            "“\(text)”: after the / the beginning of keys is wanted, 1 to 4096 bytes, with %20 for "
                + "a space, %2C for a comma and %25 for %; for all keys write the namespace alone"
        case .star(let text):
            "“\(text)”: the text after the / is how keys begin, whatever follows: leave the * "
                + "out, or write %2A for one that is in the key"
        case .date(let text):
            "“\(text)” is no date: 2027-01-31, which is over when that day is in Greenwich, or "
                + "2027-01-31T12:00:00Z"
        case .allowance(let text):
            "“\(text)” is none of ops=5000/s, bytes=20MiB/s and waiting=500, with whole numbers "
                + "above zero and B, KiB, MiB or GiB"
        case .allowanceTwice(let text): "“\(text)”: that is said already in this line"
        case .nodeWithPatterns:
            "a node is trusted with all keys, so that patterns would say something that does not "
                + "hold: write *, or leave them out"
        case .tooManyEntries: "a list has at most \(AccessList.entriesMax) entries"
        case .notText: "the list is not UTF-8 text"
        case .afterEnd: "the line “end” closes the list: put this line above it"
        case .unfinished:
            "the last line has no line break, as that of the list in force has, so the list may be "
                + "half written: end it with one, or close the list with the line “end”, and "
                + "replace the file as a whole (mv)"
        case .unclosed:
            "the list in force ends with the line “end” and this one does not, so it may be half "
                + "written: close it with that line, and replace the file as a whole (mv)"
        case .emptied:
            "the list has no key any more, so it may be half written: to refuse all clients, "
                + "write the line “none”"
        }
    }
}
