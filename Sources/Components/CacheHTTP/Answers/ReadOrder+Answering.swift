import ByteCoding
import CacheModel

extension ReadOrder {
    /// Most bytes of tags in one field of an answer. Values with more are not to be kept by caches
    /// on the way, which could not be told which of them to let go of.
    static let tagBytesMax = 8 << 10

    /// Says to nginx for how long to keep a value: it does not look at Age, and would keep one for
    /// its whole lifetime once more. It takes the field away before it answers.
    static let nginxField = "X-Accel-Expires"

    /// Says that an invalidation came while the value was loaded.
    package static let overtakenField = "Martlet-Overtaken"

    /// What is answered where the value is there.
    ///
    /// - Parameter isPrivate: whether it is for the client that asked alone: a cache on the way
    ///   must not give it to another.
    package func answer(_ value: FoundValue, isPrivate: Bool = false) -> Answer {
        let etag = EntityTag(of: value)
        guard conditions.matches(etag) else {
            return Problem(.preconditionFailed, "If-Match names another value than is there").answer
        }
        var answer = Answer(conditions.names(etag) ? 304 : 200)
        answer.fields = Self.fields(of: value, etag, isPrivate: isPrivate)
        if answer.status == 200 {
            answer.fields.append(representation: value.representation)
            answer.fields.append("Accept-Ranges", "bytes")
            return part(of: value, etag, answer)
        }
        return answer
    }

    /// What is said of a value that no type is known of.
    static let typeStandard = "application/octet-stream"
    /// A page from the cache has an origin of its own and runs no scripts: it could otherwise use
    /// the gateway in the name of its reader. Only what is shown by itself heeds it, not what
    /// another page includes.
    static let contentPolicy = "sandbox"

    /// As much of the value as was asked for.
    private func part(of value: FoundValue, _ etag: EntityTag, _ whole: Answer) -> Answer {
        let count = value.bytes.count
        var answer = whole
        switch range?.choice(of: count, etag) ?? .whole {
        case .whole: answer.body = value.bytes
        case .part(let bytes):
            answer.status = 206
            answer.fields.append(
                "Content-Range", "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(count)")
            answer.body = Array(value.bytes[bytes])
        case .unsatisfiable:
            var problem = Problem(
                .unsatisfiableRange, "the value has \(count) bytes: ask for a part of them")
            problem.fields.append("Content-Range", "bytes */\(count)")
            return problem.answer
        }
        return answer
    }

    /// What is answered where it is not.
    package var absence: Answer {
        let problem: Problem
        if conditions.ifMatch != nil {
            problem = Problem(
                .preconditionFailed, "If-Match names a value, and the key is not in the cache")
        } else if terms.isOnlyIfCached {
            problem = Problem(
                .notCached,
                "the key is not in the cache: without only-if-cached it is loaded where its "
                    + "namespace has an origin")
        } else {
            problem = Problem(
                .notFound,
                "the key is not there, or nothing of it may be shown now; PUT stores one, and a "
                    + "namespace with an origin loads it by itself")
        }
        var answer = problem.answer
        answer.fields.append("Cache-Status", CacheStatus.miss)
        return answer
    }

    /// What is answered where it is not, to a reader that would fill it.
    package func absence(_ offer: FillOffer) -> Answer {
        guard !terms.isOnlyIfCached || offer.right != nil else { return absence }
        var answer = offer.problem.answer
        answer.fields.append("Cache-Status", CacheStatus.miss)
        if let right = offer.right { answer.fields.append(LoadRight.field, right.text) }
        return answer
    }

    private static func fields(
        of value: FoundValue, _ etag: EntityTag, isPrivate: Bool
    ) -> FieldList {
        var fields = FieldList()
        fields.append("ETag", etag.text)
        fields.append("Age", "\(value.age.wholeMilliseconds / 1_000)")
        let surrogateKey = TagText.surrogateKey(value.tags)
        let groups = TagText.groups(value.tags)
        let fits = max(surrogateKey.utf8.count, groups.utf8.count) <= tagBytesMax
        fields.append(
            "Cache-Control", fits ? control(of: value, isPrivate: isPrivate) : "no-store")
        // The cache of a browser gives nothing to a request with another token.
        if isPrivate { fields.append("Vary", "Authorization") }
        // It counts for more than Cache-Control there, `private` or not.
        if !isPrivate, fits, let left = secondsLeft(of: value), value.age >= .seconds(1) {
            fields.append(Self.nginxField, "\(left)")
        }
        fields.append("Cache-Status", CacheStatus.text(of: value))
        if !value.tags.isEmpty, fits {
            fields.append(TagText.surrogateField, surrogateKey)
            fields.append(TagText.groupsField, groups)
        }
        if value.position != .none {
            let place = ClusterPosition(value.position, of: value.cluster)
            fields.append("Martlet-Position", "\(place)")
        }
        fields.append(StoreOrder.fencedField, value.isFenced ? "?1" : "?0")
        if value.isOvertaken { fields.append(Self.overtakenField, "?1") }
        if value.version != .none {
            fields.append(StoreOrder.versionField, "\(value.version)")
        }
        if let node = value.node { fields.append("Martlet-Node", node.name) }
        return fields
    }

    /// For how long others may keep it. `max-age` counts from when it was stored, as Age does: what
    /// is left of it is what is left here. What never expires, is stale or has no lifetime left may
    /// be kept and has to be asked for. nginx as a cache does not look at Authorization: what is
    /// not for all clients says so.
    private static func control(of value: FoundValue, isPrivate: Bool) -> String {
        if value.isOvertaken || value.mustNotBeKept { return "no-store" }
        guard let left = secondsLeft(of: value), value.timeToLive != .zero else {
            return "no-cache"
        }
        let seconds = value.age.wholeMilliseconds / 1_000 + left
        let age = "max-age=\(min(seconds, UInt64(CacheDirectives.secondsMax)))"
        return isPrivate ? "private, \(age)" : age
    }

    /// For how long others may still keep it; `nil` where `max-age` is not said.
    private static func secondsLeft(of value: FoundValue) -> UInt64? {
        guard let left = value.timeToLive, !value.isStale, !value.isOvertaken,
            !value.mustNotBeKept
        else { return nil }
        return left.wholeMilliseconds / 1_000
    }
}

/// Cache-Status (RFC 9211): what this cache did for an answer.
package enum CacheStatus {
    static let name = "Martlet"
    package static let miss = "\(name); fwd=miss"

    /// Of a value that was found: `hit` from a tier, with the seconds it has left; or loaded from
    /// the origin because it was not there.
    package static func text(of value: FoundValue) -> String {
        guard value.tier != .origin else { return "\(miss); detail=origin" }
        var text = "\(name); hit"
        if value.isStale {
            text += "; ttl=0"
        } else if let left = value.timeToLive {
            text += "; ttl=\(left.wholeMilliseconds / 1_000)"
        }
        let isSoft = value.isStale && value.isSoftInvalidated
        let why = isSoft ? "soft-invalidated" : value.isStale ? "stale" : value.tier.rawValue
        return text + "; detail=\(why)"
    }
}
