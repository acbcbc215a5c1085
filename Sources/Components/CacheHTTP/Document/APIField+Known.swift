import CacheModel

/// The fields that requests may have.
extension APIField {
    static let positionPattern =
        "^\(DecimalPattern.atMost(UInt64(UInt32.max))):"
        + "\(DecimalPattern.atMost(SequenceNumber.max.rawValue))(?:@[0-9a-f]{16})?$"
    private static let etags = {
        let etag = "(?:W/)?\"[!#-~]*\""
        return "^[ \\t]*[*][ \\t]*$|^[ \\t,]*\(etag)(?:[ \\t]*,[ \\t,]*\(etag))*[ \\t,]*$"
    }()
    /// How long a tag may be, and how many there may be, is said in words: a pattern with both
    /// takes its readers a long time.
    private static let tagBounds = "At most \(Tag.perEntryMax), of \(Tag.bytesMax) bytes each."

    static let atLeast = APIField(
        name: ReadTerms.atLeastField,
        description: "Answer from a node that has applied this position of the log, as an earlier "
            + "answer's Martlet-Position told it.", pattern: positionPattern, example: "3:1042")
    static let readControl = APIField(
        name: "Cache-Control",
        description: "no-cache: nothing older than the publisher's head at this moment. max-age, "
            + "max-stale: how old it may be. only-if-cached: do not have it loaded.")
    static let storeControl = APIField(
        name: "Cache-Control", description: "max-age or s-maxage: how long the value lives.")
    static let lifetime = APIField(
        name: StoreOrder.lifetimeField,
        description: "How long the value lives, in milliseconds, or never.",
        pattern: "^(\(DecimalPattern.upTo(StoreOrder.lifetimeMillisecondsMax))|never)$",
        example: "60000")
    static let version = APIField(
        name: StoreOrder.versionField,
        description: "The writer's number for this value: stored only if no greater one is there.",
        pattern: "^\(DecimalPattern.upTo(.max))$", example: "7")
    static let wantedRight = APIField(
        name: LoadRight.field,
        description: "?1: where nothing is found, give the right to fill the key. It comes in the "
            + "field of the same name, or as token; nothing is loaded by the node then.",
        pattern: "^[?]?[01]$", example: "?1")
    static let right = APIField(
        name: LoadRight.field,
        description: "What the miss before it gave: stored only if no invalidation since then "
            + "covers the value, else 409.", pattern: LoadRight.pattern, example: LoadRight.example)
    static let etag = APIField(
        name: "ETag", description: "Kept with the value and handed out again.",
        pattern: {
            let weak = "W/\"[!#-~]{0,\(Validator.bytesMax - 4)}\""
            return "^(?:\(weak)|\"[!#-~]{0,\(Validator.bytesMax - 2)}\")$"
        }(), example: "\"a1\"")
    /// An empty one is none.
    private static let representationPattern =
        "^(?:[!-~](?:[ -~\\t]{0,\(RepresentationField.bytesMax - 2)}[!-~])?)?$"
    static let contentType = APIField(
        name: RepresentationText.typeField,
        description: "What kind of thing the value is. Kept with it and handed out again, else "
            + "application/octet-stream.", pattern: representationPattern, example: "image/png")
    static let contentEncoding = APIField(
        name: RepresentationText.encodingField,
        description: "The coding that the body is in. Kept with it and handed out again; nothing "
            + "is decoded.", pattern: representationPattern, example: "aes128gcm")
    static let contentLanguage = APIField(
        name: RepresentationText.languageField,
        description: "The language of the value. Kept with it and handed out again.",
        pattern: representationPattern, example: "en")
    static let surrogateKey = APIField(
        name: TagText.surrogateField,
        description: "Tags, with spaces between them and % for other bytes. \(tagBounds)",
        pattern: "^(?:[ -$&-~]|%[0-9A-Fa-f]{2})*$", example: "news front%20page")
    static let groups = APIField(
        name: TagText.groupsField, description: "Tags, as RFC 9875 writes them. \(tagBounds)",
        pattern: {
            let tag = ##""(?:[ !#$&-\[\]-~]|\\["\\]|%[0-9A-Fa-f]{2})+"[^",]*"##
            return "^(?:\(tag)(?:,[ \\t]*\(tag))*)?$"
        }(), example: "\"news\", \"front page\"")
    static let ifMatch = APIField(
        name: "If-Match", description: "Only if the value there has one of these ETags.",
        pattern: etags, example: "\"a1\"")
    static let ifNoneMatch = APIField(
        name: "If-None-Match", description: "Only if the value there has none of these ETags.",
        pattern: etags, example: "\"a1\", W/\"b2\"")
    /// Any value is taken: what is no range of bytes is passed over.
    static let range = APIField(
        name: "Range", description: "Of a GET: one part of the value.", example: "bytes=0-1023")
    static let ifRange = APIField(
        name: "If-Range", description: "The part only of the value with this ETag, else all.",
        example: "\"a1\"")
    /// Any value is taken: one that is none is passed over, as the recommendation has it.
    static let trace = APIField(
        name: TraceField.parent,
        description: "The trace that the request belongs to, as W3C Trace Context writes it. It is "
            + "passed on, with Tracestate, to nodes and origins.",
        example: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
    static let wait = APIField(
        name: InvalidationOrder.waitField, description: "What the receipt waits for.",
        pattern: "^(none|quorum|all)$", example: "all")
    static let soft = APIField(
        name: InvalidationOrder.softField, description: "?1: stale rather than gone.",
        pattern: "^[?]?[01]$", example: "?1")
}
