/// How people write a bound of entries: a whole number, or `none`. The file and the command line
/// share it.
package enum EntriesMaxText {
    /// The number that `text` says for all shards of a node together; `nil` for `none`.
    ///
    /// - Throws: a sentence if `text` is no such number, or leaves a shard without an entry.
    package static func parse(_ text: String, shards: Int) throws(TextProblem) -> Int? {
        if text == "none" { return nil }
        let range = shards...ConfigurationLimits.entriesMax
        do throws(TextProblem) {
            return try CountText.parse(text, in: range)
        } catch {
            let each = shards > 1 ? ", at least one for each of \(shards) shards" : ""
            throw TextProblem("\(error.sentence), or none\(each)")
        }
    }
}
