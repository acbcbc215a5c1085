/// How people write how much space a disk tier leaves free on its file system: as a size, or
/// `none`. The file and the command line share it.
package enum DiskFreeText {
    /// The bytes that `text` says; `nil` for `none`.
    ///
    /// - Throws: a sentence if `text` is no size, or out of range.
    package static func parse(_ text: String) throws(TextProblem) -> Int? {
        if text == "none" { return nil }
        do throws(TextProblem) {
            return try ByteSizeText.parse(text, in: ConfigurationLimits.diskLeftFreeBytes)
        } catch {
            throw TextProblem(error.sentence + ", or none")
        }
    }

    package static func format(_ bytes: Int?) -> String {
        bytes.map(ByteSizeText.format) ?? "none"
    }
}
