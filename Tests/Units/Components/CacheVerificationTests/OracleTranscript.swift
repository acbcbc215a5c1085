import CacheModel
import CacheVerification

/// A thread that owns keys 0 to 9 and tells of key 7.
struct OracleTranscript {
    let run = RunStamp(0xABCDEF)
    var oracle: AnswerOracle
    var now = Instant(nanoseconds: 1_000_000_000)

    init(limits: VerificationLimits = .standard) {
        oracle = AnswerOracle(
            keys: OwnedKeys(first: 0, count: 10), run: run, limits: limits)
    }

    var floor: Version { oracle.floor(of: 7) }

    mutating func wait(_ duration: Duration) { now = now.advanced(by: duration) }

    /// Changes the key until it has that version.
    mutating func change(to version: UInt64) {
        while oracle.newest(of: 7) < Version(version) { oracle.changed(7, at: now) }
    }

    /// Changes, invalidates, and hears that all was reached.
    mutating func promise(_ version: UInt64) {
        change(to: version)
        let ticket = oracle.invalidationSent(7, at: now)
        let position = LogPosition(epoch: Epoch(1), sequence: SequenceNumber(1))
        oracle.receipt(ticket, isComplete: true, position: position, at: now)
    }

    /// A get that is sent now.
    func asked(_ standing: JudgedAnswer.Standing, floor: Version? = nil) -> JudgedAnswer {
        JudgedAnswer(key: 7, standing: standing, floor: floor ?? self.floor, askedAt: now)
    }

    mutating func judge(_ answer: JudgedAnswer, showing version: UInt64) -> WrongAnswer? {
        judge(answer, VerifiedValue(key: 7, version: Version(version), run: run))
    }

    private mutating func judge(_ answer: JudgedAnswer, _ value: VerifiedValue) -> WrongAnswer? {
        var bytes = [UInt8](repeating: 0, count: 100)
        bytes.withUnsafeMutableBytes { value.write(into: $0) }
        return bytes.withUnsafeBytes { oracle.judge(answer, value: $0, at: now) }
    }

    mutating func judge(
        _ standing: JudgedAnswer.Standing, _ value: VerifiedValue
    ) -> WrongAnswer.Kind? {
        judge(asked(standing), value)?.kind
    }

    mutating func answer(
        _ standing: JudgedAnswer.Standing, showing version: UInt64, floor: Version? = nil
    ) -> WrongAnswer.Kind? {
        judge(asked(standing, floor: floor), showing: version)?.kind
    }
}
