import ByteCoding
package import CacheModel

/// A value that is to be stored: what stands in the head of a PUT.
package struct StoreOrder: Hashable, Sendable {
    package enum Lifetime: Hashable, Sendable {
        case namespaceDefault
        case after(Duration)
        case never
    }

    package var namespace: Namespace
    package var key: CacheKey
    package var lifetime = Lifetime.namespaceDefault
    package var tags: [Tag] = []
    package var version = Version.none
    package var etag: Validator?
    package var representation = Representation()
    package var conditions = Conditions()
    /// By which it is stored, if a miss has given one.
    package var right: LoadRight?

    static let lifetimeField = "Martlet-TTL"
    static let versionField = "Martlet-Version"
    /// Says of a value whether no invalidation can have been missed between reading and storing it.
    package static let fencedField = "Martlet-Fenced"

    init(_ namespace: Namespace, _ key: CacheKey) {
        self.namespace = namespace
        self.key = key
    }

    package init(
        _ namespace: Namespace, _ key: CacheKey, _ fields: FieldList
    ) throws(Problem) {
        self.namespace = namespace
        self.key = key
        lifetime = try Self.lifetime(fields)
        tags = try TagText.tags(in: fields)
        guard tags.count <= Tag.perEntryMax else {
            throw Problem(.malformedField, "a value has at most \(Tag.perEntryMax) tags")
        }
        if let text = fields[Self.versionField] {
            version = try Self.number(text).map { Version($0) }
                .or(.malformedField, "\(Self.versionField) is a whole number from 1 to 2^64 − 1")
        }
        if let text = fields["ETag"] {
            etag = try Self.validator(text)
                .or(.malformedField, "ETag of a value is \(Self.etagForm)")
        }
        representation = try RepresentationText.representation(in: fields)
        conditions = try Conditions(fields)
        right = try LoadRight.brought(by: fields)
        guard fields["Content-Range"] == nil else {
            throw Problem(.malformedField, "a PUT stores a whole value: leave out Content-Range")
        }
    }

    static let etagForm =
        "\"…\" or W/\"…\" of visible ASCII, and at most \(Validator.bytesMax) bytes"

    static func validator(_ text: String) -> Validator? {
        EntityTag(text) == nil ? nil : Validator(text)
    }

    /// Above zero, in digits alone and without zeros before them; `nil` for anything else.
    static func number(_ text: String) -> UInt64? {
        guard text.utf8.first != UInt8(ascii: "0") else { return nil }
        return FieldText(exactly: Array(text.utf8)[...]).wholeNumber
    }

    static let lifetimeMillisecondsMax = LifetimeLimits.longestMilliseconds
    static let lifetimeForm =
        "a number of milliseconds from 1 to \(lifetimeMillisecondsMax) (36500 days)"

    /// `Martlet-TTL` goes before `Cache-Control`, which knows whole seconds alone.
    private static func lifetime(_ fields: FieldList) throws(Problem) -> Lifetime {
        if let text = fields[lifetimeField] {
            if text == "never" { return .never }
            guard let milliseconds = number(text), milliseconds <= lifetimeMillisecondsMax
            else {
                throw Problem(.malformedField, "\(lifetimeField) is \(lifetimeForm), or never")
            }
            return .after(.milliseconds(Int64(milliseconds)))
        }
        guard let directives = try fields.cacheDirectives() else { return .namespaceDefault }
        guard !directives.forbidsStoring, !directives.forbidsReuse else {
            throw Problem(
                .malformedField,
                "Cache-Control forbids storing the value: leave out no-store and no-cache")
        }
        guard let lifetime = directives.sharedMaxAge ?? directives.maxAge else {
            return .namespaceDefault
        }
        guard lifetime > .zero else {
            throw Problem(
                .malformedField, "a value lives for a second at least; to take it away use DELETE")
        }
        guard lifetime <= .milliseconds(Int64(lifetimeMillisecondsMax)) else {
            throw Problem(
                .malformedField,
                "a value lives for at most \(lifetimeMillisecondsMax / 1_000) seconds "
                    + "(36500 days), or for ever with \(lifetimeField): never")
        }
        return .after(lifetime)
    }
}
