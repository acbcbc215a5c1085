/// A broken promise, as a sentence.
struct Violation: Error {
    let sentence: String

    init(_ sentence: String) {
        self.sentence = sentence
    }
}
