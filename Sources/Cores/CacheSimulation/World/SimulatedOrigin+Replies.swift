import CacheLoading
import CacheModel

/// The origin behind the nodes: it reads the database, or a replica of it, answers after a while,
/// and has every fault that loads handle.
extension SimulatedOrigin {
    private static let fillField = "Fill"

    func planOriginTrouble() {
        guard let origin = settings.origin else { return }
        count(.originSeeds)
        if let every = origin.faultEveryMicroseconds { plan(.originFails, within: every) }
    }

    func originFails() {
        guard !isCalm, let origin = settings.origin, let every = origin.faultEveryMicroseconds
        else { return }
        faultCount += 1
        fault = dice.pick(OriginFault.allCases)
        count(.originFaults)
        note(.world, "has an origin in trouble", faultCount)
        plan(.originHeals(number: faultCount), within: origin.faultLastsMicroseconds)
        plan(.originFails, within: every)
    }

    func originHeals(_ number: Int) {
        guard number == faultCount else { return }
        note(.world, "has an origin that is well", number)
        fault = nil
    }

    /// The database is read for an attempt of a node.
    ///
    /// - Returns: the answer, and how long it takes; `nil` if nodes load nothing.
    func answer(
        to attempt: SimulatedOriginThread.Attempt
    ) -> (outcome: AttemptOutcome, span: Span)? {
        guard let origin = settings.origin else { return nil }
        let isFaulty = !isCalm && dice.chance(perMille: origin.faultyPerMille)
        let fault = self.fault ?? (isFaulty ? dice.pick(OriginFault.allCases) : nil)
        // In calm the origin is healthy, so it answers within its timeout.
        var span = dice.span(microseconds: isCalm ? 100...20_000 : origin.microseconds)
        let timeout = Span(nanoseconds: attempt.request.timeout.wholeNanoseconds)
        if fault == .slow {
            let micro = Int(timeout.nanoseconds / 1_000)
            span = .microseconds(dice.number(in: micro / 20...micro * 11 / 10))
        }
        var outcome = outcome(of: attempt, fault, elapsed: span)
        if fault == .hanging || span >= timeout {
            // The client's own timeout; or the core's comes first.
            outcome = .failed(.timedOut)
            span = timeout + .microseconds(dice.number(in: 0...3_000))
        }
        return (outcome, span)
    }

    private func outcome(
        of attempt: SimulatedOriginThread.Attempt, _ fault: OriginFault?, elapsed: Span
    ) -> AttemptOutcome {
        switch fault {
        case nil, .slow, .hanging: return .answered(reply(to: attempt.request, elapsed))
        case .unreachable: return .failed(.unreachable)
        case .tooLong: return .failed(.tooLarge)
        case .failing: return .answered(refusal(500, elapsed))
        case .overloaded: return .answered(refusal(503, elapsed))
        case .crowded: return .answered(refusal(429, elapsed))
        case .refusing: return .answered(refusal(403, elapsed))
        case .confused:
            var reply = reply(to: attempt.request, elapsed)
            // Longer than a coding that can be stored with the bytes.
            let coding = String(repeating: "g", count: RepresentationField.bytesMax + 1)
            reply.fields.append(OriginField(name: "Content-Encoding", value: coding))
            reply.fields.removeAll { $0.name == "ETag" }
            reply.fields.append(OriginField(name: "ETag", value: "\"another\""))
            if dice.chance(perMille: 500) { (reply.status, reply.body) = (304, []) }
            return .answered(reply)
        }
    }

    private func refusal(_ status: Int, _ elapsed: Span) -> OriginReply {
        var fields: [OriginField] = []
        if dice.chance(perMille: 500) {
            fields.append(OriginField(name: "Retry-After", value: "\(dice.below(2))"))
        }
        return OriginReply(status: status, fields: fields, body: [], elapsed: elapsed.duration)
    }

    /// The present value of the database, or a former one of a lagging replica, as an HTTP
    /// response.
    private func reply(to request: OriginRequest, _ elapsed: Span) -> OriginReply {
        guard let item = Catalog.index(of: request.key, in: request.namespace) else {
            preconditionFailure("readers ask for the catalog's keys")
        }
        let fill = makeLoadedFill(item, asking: request.validator)
        var reply = OriginReply(
            status: fill.isAbsent ? 404 : fill.isUnchanged ? 304 : 200,
            fields: [OriginField(name: Self.fillField, value: "\(fill.number)")],
            body: fill.isAbsent || fill.isUnchanged ? [] : fill.value,
            elapsed: elapsed.duration)
        let asked = fill.isUnchanged ? request.validator : fill.validator
        if let asked, !fill.isAbsent {
            reply.fields.append(OriginField(name: "ETag", value: asked.description))
        }
        let tags = Catalog.tags.indices.filter { fill.tags & 1 << UInt64($0) != 0 }
        if !tags.isEmpty {
            let names = tags.map { String(decoding: Catalog.tags[$0].bytes, as: UTF8.self) }
                .joined(separator: " ")
            reply.fields.append(OriginField(name: "Surrogate-Key", value: names))
        }
        if fill.version != .none {
            reply.fields.append(
                OriginField(
                    name: OriginSettings.versionField, value: "\(fill.version.rawValue)"))
        }
        if let control = drawCacheControl() {
            reply.fields.append(OriginField(name: "Cache-Control", value: control))
        }
        return reply
    }

    private func makeLoadedFill(_ item: Int, asking validator: Validator?) -> Fill {
        var fill = Fill(number: fills.count, item: item, claim: .fenced)
        let shown = momentShown(to: item)
        fill.readStep = step
        fill.sawStep = stepShown(at: shown)
        if shown < now { count(.laggingReads) }
        fill.content = database.version(of: item, at: shown)
        fill.paddingBytes = settings.tiers?.paddingBytes ?? 0
        fill.isAbsent = settings.origin?.isAbsent(item, fill.content) ?? false
        fill.tags = OriginSettings.tags(of: item, fill.content)
        fill.isQuoted = true
        if let validator, validator.condition != nil, !fill.isAbsent {
            let renewable = Renewable(validator: validator)
            fill.renewable = renewable
            fill.isUnchanged = isCurrent(renewable, fill.content)
        }
        if !fill.isUnchanged, !fill.isAbsent { fill.hasValidator = dice.chance(perMille: 800) }
        let hasVersions =
            settings.policy(of: Catalog.items[item].namespace).origin?.versionField != nil
        if hasVersions, !fill.isUnchanged, dice.chance(perMille: 900) {
            fill.version = fill.content
        }
        fills.append(fill)
        return fill
    }

    /// The Cache-Control of the answer: mostly none.
    private func drawCacheControl() -> String? {
        switch dice.below(100) {
        case 0..<60: nil
        case 60..<70: "max-age=0"
        case 70..<80: "max-age=1"
        case 80..<86: "max-age=0, stale-while-revalidate=1"
        case 86..<92: "max-age=0, stale-if-error=1"
        case 92..<96: "no-cache"
        default: "no-store"
        }
    }

    /// The fill that a reply was made from.
    static func fill(of reply: OriginReply) -> Int? {
        reply.fields.first { $0.name == fillField }.flatMap { Int($0.value) }
    }
}
