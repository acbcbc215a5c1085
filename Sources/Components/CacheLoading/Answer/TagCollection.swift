import ByteCoding
import CacheModel

/// The tags of one answer: in its order, without duplicates, at most as many as an entry may have.
struct TagCollection {
    private(set) var tags: [Tag] = []
    /// Whether every named tag is included. If not, an invalidation of the missing one would not
    /// reach the value.
    private(set) var isWhole = true
    private var known: Set<Tag> = []

    /// Adds the tag `text`; an empty text is ignored.
    mutating func add(_ text: FieldText) {
        if text.isEmpty { return }
        guard let tag = Tag(bytes: Array(text.bytes.prefix(Tag.bytesMax + 1))), text.isIntact else {
            isWhole = false
            return
        }
        if known.contains(tag) { return }
        guard tags.count < Tag.perEntryMax else {
            isWhole = false
            return
        }
        known.insert(tag)
        tags.append(tag)
    }
}
