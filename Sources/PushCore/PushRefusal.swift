/// Why somebody gets no subscription, in a sentence that says what to do.
package struct PushRefusal: Error, Hashable, Sendable {
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// What was sent cannot be understood, or is too much.
        case badRequest = "bad-request"
        /// The token may not read what is asked for.
        case unauthorised
        /// There are as many subscribers as this gateway takes.
        case full
        /// The gateway is about to stop.
        case stopping
    }

    package let code: Code
    package let sentence: String

    package init(_ code: Code, _ sentence: String) {
        self.code = code
        self.sentence = sentence
    }
}
