import ByteCoding
import CacheModel

/// The lifetime and age of an answer, and when its origin may be asked again.
extension AnswerReader {
    func setTimes(of facts: inout LoadedFacts) {
        facts.age = age
        guard request.policy.lifetimeSource == .answer else { return }
        facts.said.lifetime = saidLifetime
        let said = facts.said.lifetime.map { duration(of: $0) }
        let overdue = said.map { max(.zero, age - $0) } ?? .zero
        facts.lifetime = said.map { max(.zero, $0 - age) }
        facts.staleWhileRevalidate = window(
            hasOwnWindows ? directives.staleWhileRevalidate : confirmedWhileRevalidate,
            less: overdue)
        facts.staleIfError = window(
            hasOwnWindows ? directives.staleIfError : confirmedIfError, less: overdue)
        facts.said.hasWhileRevalidate = facts.staleWhileRevalidate != nil
        facts.said.hasIfError = facts.staleIfError != nil
    }

    /// The age of the value when the answer was complete: *corrected age value* in RFC 9111, 4.2.3.
    ///
    /// The first of several Age values counts, and a value that is not a number is skipped: 5.1.
    private var age: Duration {
        let first = fields.members(of: FieldName.age).first
        let limit = Duration.seconds(CacheDirectives.secondsMax)
        return (first?.seconds() ?? .zero) + min(max(elapsed, .zero), limit)
    }

    /// The lifetime from the creation of the value: RFC 9111, 4.2.1, for a shared cache; `nil` if
    /// neither the answer nor the one that it confirms states one.
    private var saidLifetime: SaidFreshness.Lifetime? {
        if let seconds = hasDirectives ? saidSeconds : confirmedSeconds { return .seconds(seconds) }
        return (expires ?? confirmedExpires).map { .expires($0) }
    }

    private var saidSeconds: UInt32? {
        if directives.isBroken || forbidsReuse { return 0 }
        let said = directives.sharedMaxAge ?? directives.maxAge
        return said.map { UInt32(clamping: $0.components.seconds) }
    }

    /// Seconds since 1970, the earliest of several Expires. A text that is not a date counts as
    /// long past: RFC 9111, 5.3.
    private var expires: UInt32? {
        fields.lines(of: FieldName.expires)
            .map { UInt32(clamping: HTTPDate($0, near: date)?.secondsSince1970 ?? 0) }.min()
    }

    /// Expires counts as Expires − Date. Zero if there is no Date: without a clock nothing can
    /// replace it.
    private func duration(of lifetime: SaidFreshness.Lifetime) -> Duration {
        switch lifetime {
        case .seconds(let seconds): .seconds(Int64(seconds))
        case .expires(let end):
            date.map { HTTPDate(secondsSince1970: Int(end)).elapsed(since: $0) } ?? .zero
        }
    }

    private func window(_ said: Duration?, less overdue: Duration) -> Duration? {
        if directives.isBroken || directives.forbidsStale || forbidsReuse { return .zero }
        return said.map { max(.zero, $0 - overdue) }
    }

    // MARK: What is confirmed

    /// Whether the windows are those of the answer, not of the answer that it confirms.
    private var hasOwnWindows: Bool { hasDirectives || confirmed == nil }

    private var confirmedSeconds: UInt32? {
        guard case .seconds(let seconds)? = confirmed?.said?.lifetime else { return nil }
        return seconds
    }

    private var confirmedExpires: UInt32? {
        guard case .expires(let end)? = confirmed?.said?.lifetime else { return nil }
        return end
    }

    private var confirmedWhileRevalidate: Duration? {
        confirmed.flatMap { $0.said?.hasWhileRevalidate == true ? $0.staleWhileRevalidate : nil }
    }

    private var confirmedIfError: Duration? {
        confirmed.flatMap { $0.said?.hasIfError == true ? $0.staleIfError : nil }
    }

    /// When the origin permits the next request: seconds, or a date minus the answer's own Date.
    /// The longest of several; `nil` if none can be read.
    var retryAfter: Duration? {
        fields.lines(of: FieldName.retryAfter).compactMap { line in
            if let seconds = line.seconds() { return seconds }
            guard let date, let end = HTTPDate(line, near: date) else { return nil }
            return end.elapsed(since: date)
        }.max()
    }
}
