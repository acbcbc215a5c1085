import CacheModel

/// For how long an answer holds, and when its origin may be asked again.
extension AnswerReader {
    func setTimes(of facts: inout LoadedFacts) {
        facts.age = age
        guard request.policy.lifetimeSource == .answer else { return }
        let said = saidLifetime
        let overdue = said.map { max(.zero, age - $0) } ?? .zero
        facts.lifetime = said.map { max(.zero, $0 - age) }
        facts.staleWhileRevalidate = window(directives.staleWhileRevalidate, less: overdue)
        facts.staleIfError = window(directives.staleIfError, less: overdue)
    }

    /// How old the value was when the answer was whole: *corrected age value* in RFC 9111, 4.2.3.
    ///
    /// Of several ages the first counts, and one that is no number is passed over: 5.1.
    private var age: Duration {
        let first = fields.firstMember(of: FieldName.age) { _ in true }
        let limit = Duration.seconds(AnswerLimits.secondsMax)
        return (first?.seconds ?? .zero) + min(max(elapsed, .zero), limit)
    }

    /// The lifetime from when the value was made: RFC 9111, 4.2.1, for a shared cache; `nil` if
    /// the answer says nothing of it.
    private var saidLifetime: Duration? {
        if directives.isBroken || forbidsReuse { return .zero }
        return directives.sharedMaxAge ?? directives.maxAge ?? expiration
    }

    /// Expires − Date, of several Expires the soonest. Zero if either is no date: RFC 9111, 5.3,
    /// says so of Expires, and without a clock nothing else can stand for Date.
    private var expiration: Duration? {
        fields.lines(of: FieldName.expires).map { line -> Duration in
            guard let date, let end = HTTPDate(line, near: date) else { return .zero }
            return end.elapsed(since: date)
        }.min()
    }

    private func window(_ said: Duration?, less overdue: Duration) -> Duration? {
        if directives.isBroken || directives.forbidsStale || forbidsReuse { return .zero }
        return said.map { max(.zero, $0 - overdue) }
    }

    /// When the origin wants to be asked again: seconds, or a date less the answer's own. Of
    /// several the longest; `nil` if none can be read.
    var retryAfter: Duration? {
        fields.lines(of: FieldName.retryAfter).compactMap { line in
            if let seconds = line.seconds { return seconds }
            guard let date, let end = HTTPDate(line, near: date) else { return nil }
            return end.elapsed(since: date)
        }.max()
    }
}
