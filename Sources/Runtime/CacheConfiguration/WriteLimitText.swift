/// How people write what a disk tier may write in a second: as a size, or `none`. The file and the
/// command line share it.
package enum WriteLimitText {
    /// The bytes a second that `text` says; `nil` for `none`.
    ///
    /// - Throws: a sentence if `text` is no size, or none that a disk can be held to.
    package static func parse(_ text: String) throws(TextProblem) -> Int? {
        if text == "none" { return nil }
        do throws(TextProblem) {
            return try ByteSizeText.parse(
                text, in: ConfigurationLimits.diskWriteBytesPerSecond)
        } catch {
            throw TextProblem(error.sentence + ", or none")
        }
    }

    package static func format(_ bytesPerSecond: Int?) -> String {
        bytesPerSecond.map(ByteSizeText.format) ?? "none"
    }
}
