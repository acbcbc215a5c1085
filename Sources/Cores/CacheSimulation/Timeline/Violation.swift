import CacheWire

/// A broken promise, as a sentence.
struct Violation: Error {
    let sentence: String

    init(_ sentence: String) {
        self.sentence = sentence
    }

    /// - Throws: the violation, if the promise does not hold.
    static func unless(
        _ holds: Bool, _ sentence: @autoclosure () -> String
    ) throws(Violation) {
        if !holds { throw Violation(sentence()) }
    }
}

/// A message that a core has sent.
enum SentFrame {
    /// - Throws: ``Violation`` if it does not follow the protocol.
    static func decoded<Value>(
        _ frame: [UInt8], _ decode: (MessageView) throws -> Value
    ) throws(Violation) -> Value {
        do {
            return try frame.withUnsafeBytes { try decode(try MessageView(decoding: $0)) }
        } catch {
            throw Violation("a core sends an undecodable message: \(error)")
        }
    }
}
