/// A warning that a reader must not overlook: it comes first, in every form of the report.
package struct Caution: Hashable, Sendable {
    package enum Weight: String, Sendable {
        /// The cluster broke a promise.
        case violation
        /// The numbers are easily misread.
        case warning
        /// Useful to know before reading on.
        case remark
    }

    package var weight: Weight
    package var sentence: String

    package init(_ weight: Weight, _ sentence: String) {
        self.weight = weight
        self.sentence = sentence
    }
}
