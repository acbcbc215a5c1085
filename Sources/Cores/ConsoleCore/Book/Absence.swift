/// Why the publisher or a node gives no answer.
package struct Absence: Hashable, Sendable {
    /// Whether it answered with a refusal: then it is up.
    package var isDenial: Bool
    package var sentence: String

    package init(isDenial: Bool, sentence: String) {
        self.isDenial = isDenial
        self.sentence = sentence
    }
}
