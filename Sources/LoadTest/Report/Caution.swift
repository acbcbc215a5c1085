/// What a reader must not overlook: said first, in every form of the figures.
package struct Caution: Hashable, Sendable {
    package enum Weight: String, Sendable {
        /// The cluster did what it promised not to do.
        case violation
        /// The figures do not say what one may think that they say.
        case warning
        /// Something to know before reading on.
        case remark
    }

    package var weight: Weight
    package var sentence: String

    package init(_ weight: Weight, _ sentence: String) {
        self.weight = weight
        self.sentence = sentence
    }
}
