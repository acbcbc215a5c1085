import ByteCoding
import CacheLoading
import CacheModel
import CacheWire

/// The meaning of a peer's answer.
enum PeerReply {
    case outcome(LoadOutcome)
    /// A value that continues in other frames.
    case part(PartialValue)
    /// No result that a load could have: another node must be asked.
    case nothing

    static func read(_ frame: UnsafeRawBufferPointer, of load: PeerLoad) -> PeerReply {
        do throws(WireRefusal) {
            let message = try MessageView(decoding: frame)
            guard message.type == .results, message.count == 1 else { return .nothing }
            var reader = ByteReader(message.body)
            let proof = try Proof(decoding: &reader)
            guard proof.position.epoch == load.terms.atLeast.epoch,
                proof.position >= load.terms.atLeast
            else { return .nothing }
            let result = try OperationResult(decoding: &reader)
            try reader.expectEnd()
            return judge(result, try ResultFields(decoding: result.fields), load)
        } catch {
            return .nothing
        }
    }

    private static func judge(
        _ result: OperationResult, _ fields: ResultFields, _ load: PeerLoad
    ) -> PeerReply {
        switch result.status {
        case .hit where result.flags.isEmpty:
            return value(result, fields, load)
        case .miss where result.flags == .negative:
            return facts(result, fields, load).map { .outcome(.absent($0)) } ?? .nothing
        case .failed where result.flags.isEmpty:
            return failure(result, fields)
        default: return .nothing
        }
    }

    private static func value(
        _ result: OperationResult, _ fields: ResultFields, _ load: PeerLoad
    ) -> PeerReply {
        var partial: PartialValue
        if var known = load.partial {
            known.bytes += result.value
            partial = known
        } else {
            guard let facts = facts(result, fields, load) else { return .nothing }
            let whole =
                fields.whole
                ?? ResultFields.Whole(identity: 0, totalBytes: result.value.count)
            partial = PartialValue(whole: whole, facts: facts, bytes: [])
            guard whole.totalBytes <= load.load.request.valueBytesMax else { return .nothing }
            partial.bytes.reserveCapacity(whole.totalBytes)
            partial.bytes += result.value
        }
        guard partial.bytes.count <= partial.whole.totalBytes else { return .nothing }
        if partial.isWhole { return .outcome(.value(partial.bytes, partial.facts)) }
        return result.value.isEmpty ? .nothing : .part(partial)
    }

    /// The peer's metadata of the value. `nil` if it does not state when it was filled, or the
    /// terms for storing it.
    private static func facts(
        _ result: OperationResult, _ fields: ResultFields, _ load: PeerLoad
    ) -> LoadedFacts? {
        guard let fill = fields.fillPosition, fill.epoch == load.terms.atLeast.epoch,
            var facts = Self.facts(result, fields)
        else { return nil }
        facts.fill = fill
        return facts
    }

    /// The same for an entry that is copied, whenever it was filled.
    static func facts(_ result: OperationResult, _ fields: ResultFields) -> LoadedFacts? {
        guard let terms = fields.terms else { return nil }
        var facts = LoadedFacts()
        facts.lifetime =
            result.ttlMilliseconds == .max
            ? nil : .milliseconds(Int64(clamping: result.ttlMilliseconds))
        facts.age = .milliseconds(Int64(clamping: result.ageMilliseconds))
        facts.staleWhileRevalidate = .milliseconds(Int64(terms.staleWhileRevalidate))
        facts.staleIfError = .milliseconds(Int64(terms.staleIfError))
        facts.said = said(result, terms)
        facts.validator = fields.etag
        facts.version = fields.version
        facts.tags = fields.tags
        facts.representation = fields.representation
        facts.mayStore = !terms.mustNotBeKept
        return facts
    }

    /// The freshness fields of the origin's answer, as far as a peer passes them on: the windows,
    /// and that there is no lifetime. A 304 without them must not extend it.
    private static func said(
        _ result: OperationResult, _ terms: ResultFields.Terms
    ) -> SaidFreshness {
        var said = SaidFreshness()
        if result.ttlMilliseconds == 0, !terms.mustNotBeKept { said.lifetime = .seconds(0) }
        (said.hasWhileRevalidate, said.hasIfError) = (true, true)
        return said
    }

    /// The origin's own answer is as good from the peer as from here. Failures between a peer and
    /// the origin need not occur between this node and the origin.
    private static func failure(_ result: OperationResult, _ fields: ResultFields) -> PeerReply {
        guard let failure = LoadFailure(rawValue: result.detail) else { return .nothing }
        switch failure {
        case .timedOut, .unavailable, .refused, .tooLarge, .malformed, .outdated:
            let retryAfter = fields.retryAfterMilliseconds.map { Duration.milliseconds(Int64($0)) }
            return .outcome(.failed(failure, retryAfter: retryAfter))
        // A request has as much time as its load.
        case .stillLoading: return .outcome(.failed(.timedOut, retryAfter: nil))
        case .unreachable, .broken, .overloaded, .cancelled, .overtaken, .noOrigin, .notKept:
            return .nothing
        }
    }
}
