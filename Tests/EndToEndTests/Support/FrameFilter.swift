/// Cuts the bytes that a ZeroMQ publisher sends into frames, and lets only some of them through.
struct FrameFilter {
    /// What becomes of RECORDS; heartbeats and commands always pass.
    enum Treatment: Sendable {
        case pass
        case drop
        /// Every third is dropped, every third comes twice, and every third late.
        case shuffle
    }

    private var pending: [UInt8] = []
    private var greetingLeft = Self.greetingBytes
    private var recordCount = 0
    private var held: [UInt8] = []

    /// The first bytes of a peer, before its frames.
    private static let greetingBytes = 64

    /// What to hand on, and how many messages of records passed and did not.
    struct Outcome {
        var bytes: [UInt8] = []
        var passedCount = 0
        var droppedCount = 0
    }

    /// Takes bytes in and gives those that pass.
    mutating func pass(_ bytes: [UInt8], _ treatment: Treatment) -> Outcome {
        pending += bytes
        var outcome = Outcome()
        // Each side waits for the first bytes of the other's greeting before it says the rest.
        let greeted = min(greetingLeft, pending.count)
        outcome.bytes += pending.prefix(greeted)
        pending.removeFirst(greeted)
        greetingLeft -= greeted
        guard greetingLeft == 0 else { return outcome }
        while let frame = nextFrame() {
            guard Self.isRecords(frame) else {
                outcome.bytes += frame
                continue
            }
            recordCount += 1
            switch (treatment, recordCount % 3) {
            case (.pass, _):
                outcome.bytes += frame
                outcome.passedCount += 1
            case (.drop, _), (.shuffle, 0): outcome.droppedCount += 1
            case (.shuffle, 1): held = frame
            case (.shuffle, _):
                outcome.bytes += frame + frame + held
                held = []
            }
        }
        return outcome
    }

    /// A whole frame with its header, or `nil` until there is one.
    private mutating func nextFrame() -> [UInt8]? {
        guard let (header, body) = Self.lengths(pending), pending.count >= header + body else {
            return nil
        }
        let frame = Array(pending.prefix(header + body))
        pending.removeFirst(header + body)
        return frame
    }

    private static func lengths(_ bytes: [UInt8]) -> (header: Int, body: Int)? {
        guard bytes.count >= 2 else { return nil }
        guard bytes[0] & 2 != 0 else { return (2, Int(bytes[1])) }
        guard bytes.count >= 9 else { return nil }
        return (9, bytes[1..<9].reduce(0) { $0 << 8 | Int($1) })
    }

    /// A message – not a command – that begins with magic, version and the type of RECORDS.
    private static func isRecords(_ frame: [UInt8]) -> Bool {
        guard let (header, body) = lengths(frame), frame[0] & 4 == 0, body >= 4 else {
            return false
        }
        return Array(frame[header..<header + 2]) == Array("ML".utf8) && frame[header + 3] == 0x30
    }
}
