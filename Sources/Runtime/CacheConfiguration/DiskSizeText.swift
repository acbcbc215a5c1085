/// How people write a disk tier's size: as any size, or `none`. The file and the command line share
/// it.
package enum DiskSizeText {
    /// The bytes that `text` says for all shards of a node together; `nil` for `none`.
    ///
    /// - Throws: a sentence if `text` is no size, or none that so many shards can share.
    package static func parse(_ text: String, shards: Int) throws(TextProblem) -> Int? {
        try OptionalText.parse(text) { text throws(TextProblem) in
            let bytes = try ByteSizeText.parse(text)
            try check(bytes, text, shards: shards)
            return bytes
        }
    }

    private static func check(
        _ bytes: Int, _ text: String, shards: Int
    ) throws(TextProblem) {
        let each = ConfigurationLimits.diskBytesPerShard
        let range = each.lowerBound * shards...each.upperBound * shards
        guard !range.contains(bytes) else { return }
        let fault = bytes < range.lowerBound ? "little" : "much"
        let least = ByteSizeText.format(range.lowerBound)
        let most = ByteSizeText.format(range.upperBound)
        throw TextProblem(
            "\(TextProblem.quote(text)) is too \(fault) for \(shards) "
                + "shard\(shards == 1 ? "" : "s"); give \(least) to \(most)")
    }
}
