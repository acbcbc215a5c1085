import CacheLoading
import CacheModel

extension WarmUp.Copy {
    /// Whether its lifetime may have been cut because it came from a lagging replica.
    func isDoubtful(_ policy: NamespacePolicy) -> Bool {
        guard policy.replicaLag > .zero, let lifetime = facts.lifetime else { return false }
        return lifetime + facts.age <= policy.replicaLag + ShardLimits.ageError * 2
    }

    /// Its lifetime counts from the request to the peer: it never grows on its way.
    func isAlive(askedAt: Instant, now: Instant) -> Bool {
        facts.lifetime.map { now < askedAt.advanced(by: $0) } ?? true
    }

    /// The terms and ETag of an entry, in stored form. If the node loads nothing, an ETag is from
    /// its writer, not from a load.
    func termsAndETag(_ policy: NamespacePolicy) -> (terms: LoadTerms, bytes: [UInt8]) {
        let terms = LoadTerms(
            staleWhileRevalidate: facts.staleWhileRevalidate ?? .zero,
            staleIfError: facts.staleIfError ?? .zero, isNegative: false
        ).limited(to: ShardLimits.staleWindowMax)
        if policy.readsThrough { return (terms, facts.section(terms)) }
        let validator = facts.validator
        return (terms, terms.areAny ? terms.stored(with: validator) : validator?.bytes ?? [])
    }
}
