/// Why a client gets no subscription, in a sentence that says what to do.
package struct PushRefusal: Error, Hashable, Sendable {
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// The request cannot be understood, or asks for too much.
        case badRequest = "bad-request"
        /// The token may not read what is asked for.
        case unauthorised
        /// This gateway has its maximum of subscribers.
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
