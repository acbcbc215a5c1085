import CacheModel

/// By what a value is known later, and whether it may be kept.
extension AnswerReader {
    func setLabels(of facts: inout LoadedFacts) {
        let collection = tagCollection
        let version = readVersion
        facts.tags = collection.tags
        facts.version = version ?? .none
        facts.mayStore = mayStore && collection.isWhole && version != nil
    }

    /// What Cache-Control and Vary say. `must-understand` lifts `no-store`, because the caching
    /// rules of every status that comes this far are known: RFC 9111, 5.2.2.3.
    private var mayStore: Bool {
        if directives.forbidsStoring && !directives.requiresUnderstanding { return false }
        if directives.isPrivate { return false }
        return fields.firstMember(of: FieldName.vary) { $0.isWord("*") } == nil
    }

    // MARK: Validator

    /// The ETag, weak or strong: the bytes it stands for are those that are kept. Without one that
    /// can be used, Last-Modified.
    ///
    /// A value that changes twice in a second may be confirmed by its Last-Modified although it is
    /// the older one; an origin that needs better sends an ETag.
    var validator: Validator? {
        if let text = fields.agreedText(of: FieldName.entityTag), EntityTag(text) != nil,
            text.isIntact, let validator = Validator(bytes: Array(text.bytes))
        {
            return validator
        }
        guard let text = fields.agreedText(of: FieldName.lastModified), HTTPDate(text) != nil else {
            return nil
        }
        return Validator(bytes: Array(text.bytes))
    }

    /// Whether a 304 speaks of what `asked` names.
    ///
    /// The request must have asked by it, and the answer may not name another ETag. Another
    /// Last-Modified is let pass: hosts that serve the same bytes differ in it.
    func confirms(_ asked: Validator) -> Bool {
        guard asked.condition != nil else { return false }
        guard let one = EntityTag(FieldText(exactly: asked.bytes[...])),
            let text = fields.agreedText(of: FieldName.entityTag), let other = EntityTag(text)
        else { return true }
        return one.isWeaklySame(as: other)
    }

    // MARK: Version

    /// The version by the namespace's field; ``Version/none`` if there is no such field, `nil` if
    /// there is and no version can be read from it.
    ///
    /// Zero is no version. Taken for none, it would let an older value replace a newer one.
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
    /// Cache-Groups is one list over all its lines, and stands where the first of them does.
    private var tagCollection: TagCollection {
        var collection = TagCollection()
        var hasGroups = false
        for field in fields {
            if AnswerFields.isSameName(field.name, as: FieldName.surrogateKey) {
                collection.addMembers(of: field.value, endedBy: \.isFieldSpace)
            } else if AnswerFields.isSameName(field.name, as: FieldName.cacheTag) {
                collection.addMembers(of: field.value, endedBy: \.isComma)
            } else if !hasGroups, AnswerFields.isSameName(field.name, as: FieldName.cacheGroups) {
                hasGroups = true
                let lines = fields.lines(of: FieldName.cacheGroups)
                for group in StringListReader.strings(in: lines) ?? [] { collection.add(group) }
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
