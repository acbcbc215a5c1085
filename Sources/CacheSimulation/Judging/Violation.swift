/// A promise that was broken, as a sentence.
struct Violation: Error {
    let sentence: String

    init(_ sentence: String) {
        self.sentence = sentence
    }
}
