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

/// How people write how much space a disk tier leaves free on its file system: as a size, or
/// `none`. The file and the command line share it.
package enum DiskFreeText {
    /// The bytes that `text` says; `nil` for `none`.
    ///
    /// - Throws: a sentence if `text` is no size, or out of range.
    package static func parse(_ text: String) throws(TextProblem) -> Int? {
        try OptionalText.parse(text) { text throws(TextProblem) in
            try ByteSizeText.parse(text, in: ConfigurationLimits.diskLeftFreeBytes)
        }
    }

    package static func format(_ bytes: Int?) -> String {
        bytes.map(ByteSizeText.format) ?? "none"
    }
}

/// How people write what a disk tier may write in a second: as a size, or `none`. The file and the
/// command line share it.
package enum WriteLimitText {
    /// The bytes a second that `text` says; `nil` for `none`.
    ///
    /// - Throws: a sentence if `text` is no size, or none that a disk can be held to.
    package static func parse(_ text: String) throws(TextProblem) -> Int? {
        try OptionalText.parse(text) { text throws(TextProblem) in
            try ByteSizeText.parse(text, in: ConfigurationLimits.diskWriteBytesPerSecond)
        }
    }

    package static func format(_ bytesPerSecond: Int?) -> String {
        bytesPerSecond.map(ByteSizeText.format) ?? "none"
    }
}
