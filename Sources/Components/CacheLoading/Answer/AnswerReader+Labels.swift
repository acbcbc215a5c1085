import ByteCoding
package import CacheModel

/// The validator, version and tags of a value, and whether it may be stored.
extension AnswerReader {
    func setLabels(of facts: inout LoadedFacts) {
        let collection = tagCollection
        let version = readVersion
        facts.tags = collection.tags
        facts.version = version ?? .none
        facts.mayStore = mayStore && collection.isWhole && version != nil
    }

    /// Whether Cache-Control and Vary permit storing. `must-understand` overrides `no-store`,
    /// because the caching rules of every status that is read here are known: RFC 9111, 5.2.2.3.
    private var mayStore: Bool {
        if directives.forbidsStoring && !directives.requiresUnderstanding { return false }
        if directives.isPrivate { return false }
        return !fields.members(of: FieldName.vary).contains { $0.isWord("*") }
    }

    // MARK: Validator

    /// The ETag, weak or strong: the bytes that it identifies are the stored ones. Without a usable
    /// ETag, Last-Modified.
    ///
    /// If a value changes twice in one second, its Last-Modified may confirm the older one. An
    /// origin that needs better sends an ETag.
    var validator: Validator? {
        if let text = fields.agreedText(of: FieldName.entityTag),
            EntityTag(text.bytes, of: .withObsoleteText) != nil,
            text.isIntact, let validator = Validator(bytes: Array(text.bytes))
        {
            return validator
        }
        guard let text = fields.agreedText(of: FieldName.lastModified), HTTPDate(text) != nil else {
            return nil
        }
        return Validator(bytes: Array(text.bytes))
    }

    /// Whether a 304 confirms `asked`.
    ///
    /// The request must have been conditional on it, and the answer may not name another ETag. A
    /// different Last-Modified is accepted: hosts that serve the same bytes differ in it.
    func confirms(_ asked: Validator) -> Bool {
        guard asked.condition != nil else { return false }
        guard let one = EntityTag(asked.bytes[...], of: .withObsoleteText),
            let text = fields.agreedText(of: FieldName.entityTag),
            let other = EntityTag(text.bytes, of: .withObsoleteText)
        else { return true }
        return one.matchesWeakly(other)
    }

    // MARK: Version

    /// The version from the namespace's field; ``Version/none`` if there is no such field, `nil` if
    /// the field has no readable version.
    ///
    /// Zero is not a version. If it were read as none, an older value could replace a newer one.
    private var readVersion: Version? {
        guard let name = request.policy.versionField, !fields.lines(of: name).isEmpty else {
            return Version.none
        }
        guard let number = fields.agreedText(of: name)?.wholeNumber, number > 0 else { return nil }
        return Version(number)
    }

    // MARK: Tags

    /// Surrogate-Key, Cache-Tag and Cache-Groups together, in the order of the answer.
    ///
    /// All lines of Cache-Groups are one list, at the place of its first line.
    private var tagCollection: TagCollection {
        var collection = TagCollection()
        var hasGroups = false
        for field in fields {
            if FieldText.isSameWord(field.name, FieldName.surrogateKey) {
                collection.addMembers(of: field.value, endedBy: \.isFieldSpace)
            } else if FieldText.isSameWord(field.name, FieldName.cacheTag) {
                collection.addMembers(of: field.value, endedBy: \.isComma)
            } else if !hasGroups, FieldText.isSameWord(field.name, FieldName.cacheGroups) {
                hasGroups = true
                let lines = fields.lines(of: FieldName.cacheGroups)
                let groups = StringListReader.strings(in: lines, .checked) ?? []
                for group in groups { collection.add(group) }
            }
        }
        return collection
    }
}

extension TagCollection {
    fileprivate mutating func addMembers(of value: String, endedBy isEnd: (UInt8) -> Bool) {
        var rest = FieldText(value)
        while let member = rest.takeMember(endedBy: isEnd) { add(member) }
    }
}

/// The tags of one answer: in its order, without duplicates, at most as many as an entry may have.
struct TagCollection {
    private(set) var tags: [Tag] = []
    /// Whether every named tag is included. If not, an invalidation of the missing one would not
    /// reach the value.
    private(set) var isWhole = true
    private var known: Set<Tag> = []

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

/// The representation of an answer's value.
///
/// A type or language that cannot be stored is left out; the value is stored without it. If several
/// lines name different types, none counts. Lines of encodings form one list, and so do lines of
/// languages.
extension AnswerReader {
    var representation: Representation {
        var representation = Representation()
        representation.contentType = fields.agreedText(of: FieldName.contentType).flatMap {
            RepresentationField(String(decoding: $0.bytes, as: UTF8.self))
        }
        representation.contentEncoding = list(FieldName.contentEncoding) { !$0.isIdentity }
        representation.contentLanguage = list(FieldName.contentLanguage) { _ in true }
        return representation
    }

    var hasReadableEncoding: Bool {
        members(of: FieldName.contentEncoding) { !$0.isIdentity }.isEmpty
            || representation.contentEncoding != nil
    }

    private func list(
        _ name: String, where isKept: (FieldText) -> Bool
    ) -> RepresentationField? {
        RepresentationField(members(of: name, where: isKept).joined(separator: ", "))
    }

    private func members(of name: String, where isKept: (FieldText) -> Bool) -> [String] {
        fields.members(of: name).filter(isKept).map { String(decoding: $0.bytes, as: UTF8.self) }
    }
}

extension FieldText {
    fileprivate var isIdentity: Bool { isWord("identity") }
}

extension Validator {
    /// The field that makes a request conditional on this: `If-None-Match` for an ETag, which
    /// begins with `"` or `W/"`, and `If-Modified-Since` for the text of a Last-Modified.
    ///
    /// - Returns: `nil` if it is neither, which is possible for a validator that came with a store:
    ///   no origin could answer it, and it might not fit into a field.
    package var condition: OriginField? {
        guard let text = String(validating: bytes, as: UTF8.self), let name = conditionName else {
            return nil
        }
        return OriginField(name: name, value: text)
    }

    private var conditionName: String? {
        if EntityTag(bytes[...], of: .withObsoleteText) != nil { return FieldName.ifNoneMatch }
        return HTTPDate(FieldText(exactly: bytes[...])) == nil ? nil : FieldName.ifModifiedSince
    }
}
