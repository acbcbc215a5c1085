package import CacheModel

/// A value in the store that people may read: words of the form `name=value` behind the number of
/// the form.
///
///     1 term=7c… publisher=p1 control=tcp://… live=tcp://…
struct SharedWords {
    private var words: [String] = []
    private var values: [String: String] = [:]

    init() {}

    /// - Returns: `nil` unless it is of this form.
    init?(_ bytes: [UInt8]) {
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard words.first == "1" else { return nil }
        for word in words.dropFirst() {
            let parts = word.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            values[String(parts[0])] = String(parts[1])
        }
    }

    /// - Precondition: neither has a space.
    mutating func add(_ name: String, _ value: String) { words.append("\(name)=\(value)") }

    mutating func add(_ name: String, _ number: UInt64) { add(name, String(number)) }

    mutating func add(_ name: String, hex number: UInt64) { add(name, String(number, radix: 16)) }

    subscript(name: String) -> String? { values[name] }

    func number(_ name: String) -> UInt64? { values[name].flatMap { UInt64($0) } }

    func hex(_ name: String) -> UInt64? { values[name].flatMap { UInt64($0, radix: 16) } }

    var bytes: [UInt8] { Array((["1"] + words).joined(separator: " ").utf8) }
}

/// One term of leadership: a random number, drawn for each campaign. Compared by value in every
/// write, it proves that the writer leads.
package struct TermID: Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) { self.rawValue = rawValue }

    package var description: String { String(rawValue, radix: 16) }
}

/// The value of `leader`.
package struct LeaderValue: Hashable, Sendable {
    package let term: TermID
    /// The name of the publisher in the configuration.
    package let publisher: String
    /// The endpoints for nodes and clients, without spaces.
    package let control: String
    package let live: String

    package init(term: TermID, publisher: String, control: String, live: String) {
        self.term = term
        self.publisher = publisher
        self.control = control
        self.live = live
    }

    package var bytes: [UInt8] {
        var words = SharedWords()
        words.add("term", hex: term.rawValue)
        words.add("publisher", publisher)
        words.add("control", control)
        words.add("live", live)
        return words.bytes
    }

    /// - Returns: `nil` for bytes that no publisher of this release wrote.
    package init?(_ bytes: [UInt8]) {
        guard let words = SharedWords(bytes), let term = words.hex("term"),
            let publisher = words["publisher"], let control = words["control"],
            let live = words["live"]
        else { return nil }
        self.init(term: TermID(term), publisher: publisher, control: control, live: live)
    }
}

/// The value of `head`: the log, where it ends, and where its kept records begin.
package struct HeadValue: Hashable, Sendable {
    package var log: LogID
    package var mark: LogMark
    /// The oldest record that is kept; the number after the head where none is.
    package var tail: SequenceNumber

    package init(log: LogID, mark: LogMark, tail: SequenceNumber) {
        self.log = log
        self.mark = mark
        self.tail = tail
    }

    package var bytes: [UInt8] {
        var words = SharedWords()
        words.add("log", hex: log.rawValue)
        words.add("epoch", UInt64(mark.position.epoch.rawValue))
        words.add("sequence", mark.position.sequence.rawValue)
        words.add("digest", hex: mark.digest.rawValue)
        words.add("tail", tail.rawValue)
        return words.bytes
    }

    /// - Returns: `nil` for bytes that no publisher of this release wrote.
    package init?(_ bytes: [UInt8]) {
        guard let words = SharedWords(bytes), let log = words.hex("log"), log != 0,
            let epoch = words.number("epoch").flatMap({ UInt32(exactly: $0) }), epoch > 0,
            let sequence = words.number("sequence"), sequence <= SequenceNumber.max.rawValue,
            let digest = words.hex("digest"), let tail = words.number("tail"),
            (1...sequence + 1).contains(tail)
        else { return nil }
        self.init(
            log: LogID(log),
            mark: LogMark(
                position: LogPosition(epoch: Epoch(epoch), sequence: SequenceNumber(sequence)),
                digest: LogDigest(digest)),
            tail: SequenceNumber(tail))
    }
}
