import ByteCoding
package import CacheModel

/// Tags as HTTP has them: words of `Surrogate-Key` with spaces between them, or strings of
/// `Cache-Groups` (RFC 9875) with commas.
///
/// A tag may be any bytes. In both fields `%` and two hexadecimal digits stand for what may not
/// stand there as itself.
package enum TagText {
    static let surrogateField = "Surrogate-Key"
    static let groupsField = "Cache-Groups"

    /// The tags that fields name, each once; none where there is no such field.
    package static func tags(in fields: FieldList) throws(Problem) -> [Tag] {
        var tags: [Tag] = []
        func add(_ text: ArraySlice<UInt8>, _ field: String) throws(Problem) {
            let tag = try PercentEncoding.bytes(of: text).flatMap { Tag(bytes: $0) }.or(
                .malformedField,
                "\(field): a tag has 1 to \(Tag.bytesMax) bytes, with %20 for a space and %25 "
                    + "for %")
            if !tags.contains(tag) { tags.append(tag) }
            guard tags.count <= InvalidationRecord.scopesMax else {
                throw Problem(.malformedField, "\(field): too many tags; send several requests")
            }
        }
        if let text = fields[surrogateField] {
            guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw Problem(
                    .malformedField,
                    "\(surrogateField) has visible ASCII alone: write other bytes as % and two "
                        + "hexadecimal digits")
            }
            for word in Array(text.utf8).split(whereSeparator: { $0 == 0x20 || $0.isComma }) {
                try add(word, surrogateField)
            }
        }
        if let text = fields[groupsField] {
            let lines = [FieldText(exactly: Array(text.utf8)[...])]
            let strings = try StringListReader.strings(in: lines, .skipped).or(
                .malformedField,
                "\(groupsField) is a list of strings, such as \"news\", \"front page\"")
            for string in strings { try add(string.bytes, groupsField) }
        }
        return tags
    }

    /// `Surrogate-Key` with these tags.
    static func surrogateKey(_ tags: [Tag]) -> String {
        tags.map { PercentEncoding.word($0.bytes) }.joined(separator: " ")
    }

    /// `Cache-Groups` with these tags.
    static func groups(_ tags: [Tag]) -> String {
        tags.map { StringListReader.text(of: PercentEncoding.sentence($0.bytes)) }
            .joined(separator: ", ")
    }
}
