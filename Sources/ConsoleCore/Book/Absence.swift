/// Why somebody tells nothing.
package struct Absence: Hashable, Sendable {
    /// Whether it answered that it may not tell: then it is there.
    package var isDenial: Bool
    package var sentence: String

    package init(isDenial: Bool, sentence: String) {
        self.isDenial = isDenial
        self.sentence = sentence
    }
}
