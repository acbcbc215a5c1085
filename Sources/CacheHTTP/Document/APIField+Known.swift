/// The fields that requests may have.
extension APIField {
    static let atLeast = APIField(
        name: ReadTerms.atLeastField,
        description: "Answer from a node that has applied this position of the log, as an earlier "
            + "answer's Martlet-Position told it.", pattern: "^[0-9]{1,10}:[0-9]{1,15}$")
    static let readControl = APIField(
        name: "Cache-Control",
        description: "no-cache: nothing older than the publisher's head at this moment. max-age, "
            + "max-stale: how old it may be. only-if-cached: do not have it loaded.")
    static let storeControl = APIField(
        name: "Cache-Control", description: "max-age or s-maxage: how long the value lives.")
    static let lifetime = APIField(
        name: StoreOrder.lifetimeField,
        description: "How long the value lives, in milliseconds, or never.",
        pattern: "^([1-9][0-9]{0,17}|never)$")
    static let version = APIField(
        name: StoreOrder.versionField,
        description: "The writer's number for this value: stored only if no greater one is there.",
        pattern: "^[1-9][0-9]{0,18}$")
    static let etag = APIField(
        name: "ETag", description: "Kept with the value and handed out again.",
        pattern: "^(W/)?\"[!#-~]{0,200}\"$")
    static let surrogateKey = APIField(
        name: TagText.surrogateField, description: "Tags, with spaces between them.",
        pattern: "^[A-Za-z0-9_:.-]{1,64}( [A-Za-z0-9_:.-]{1,64}){0,7}$")
    static let groups = APIField(
        name: TagText.groupsField, description: "Tags, as RFC 9875 writes them.",
        pattern: "^\"[A-Za-z0-9_:.-]{1,64}\"(, \"[A-Za-z0-9_:.-]{1,64}\"){0,7}$")
    static let ifMatch = APIField(
        name: "If-Match", description: "Only if the value there has one of these ETags.")
    static let ifNoneMatch = APIField(
        name: "If-None-Match", description: "Only if the value there has none of these ETags.")
    static let wait = APIField(
        name: InvalidationOrder.waitField, description: "What the receipt waits for.",
        pattern: "^(none|quorum|all)$")
    static let soft = APIField(
        name: InvalidationOrder.softField, description: "?1: stale rather than gone.",
        pattern: "^[?][01]$")
}
