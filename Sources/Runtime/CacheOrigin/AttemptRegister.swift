import Threading

/// The attempts of one origin with work under way, and the origin's shutdown.
///
///     open ──close──▶ draining ──the last has left, or abandoned──▶ releasing ──▶ closed
final class AttemptRegister: Sendable {
    enum Admission: Equatable { case admitted, full, closed }

    /// Gives back what the origin holds, then calls its argument once.
    typealias Release = @Sendable (@escaping @Sendable () -> Void) -> Void

    private struct State {
        var attempts: [ObjectIdentifier: Attempt] = [:]
        var phase = Phase.open
        var waiters: [@Sendable () -> Void] = []
        /// Timers that abort, then abandon the attempts that are left.
        var clocks: [Task<Void, any Error>] = []
    }

    private enum Phase {
        case open
        case draining(Release)
        case releasing
        case closed
    }

    private let attemptsMax: Int
    private let state = Guarded(State())

    /// - Parameter attemptsMax: most attempts with work under way at a time.
    init(attemptsMax: Int) {
        self.attemptsMax = attemptsMax
    }

    /// How many attempts' work is under way; those that were aborted count until it has stopped.
    var count: Int { state.withLock { $0.attempts.count } }

    func admit(_ attempt: Attempt) -> Admission {
        state.withLock { state in
            guard case .open = state.phase else { return .closed }
            guard state.attempts.count < attemptsMax else { return .full }
            state.attempts[ObjectIdentifier(attempt)] = attempt
            return .admitted
        }
    }

    /// The work of an admitted attempt has stopped, after its outcome was told.
    func leave(_ attempt: Attempt) {
        let release = state.withLock { state in
            state.attempts[ObjectIdentifier(attempt)] = nil
            return Self.releaseIfDue(&state, isAbandoned: false)
        }
        perform(release)
    }

    /// Admits no attempt any more.
    ///
    /// - Parameters:
    ///   - grace: after this long the attempts that are left are aborted. Work that does not stop
    ///     then, either, is abandoned `OriginLimits.lingerMax` later.
    ///   - release: called once, when the last attempt has left or is abandoned.
    ///   - whenDone: called when that is done, too.
    func close(
        grace: Duration, release: @escaping Release, whenDone: @escaping @Sendable () -> Void
    ) {
        let (due, isClosed) = state.withLock { state -> (Release?, Bool) in
            if case .closed = state.phase { return (nil, true) }
            state.waiters.append(whenDone)
            if case .open = state.phase { state.phase = .draining(release) }
            let due = Self.releaseIfDue(&state, isAbandoned: false)
            if case .draining = state.phase { state.clocks.append(clock(grace: grace)) }
            return (due, false)
        }
        if isClosed { whenDone() }
        perform(due)
    }

    private func clock(grace: Duration) -> Task<Void, any Error> {
        Task {
            try await Task.sleep(for: min(max(grace, .zero), OriginLimits.timeoutMax))
            abortAll()
            try await Task.sleep(for: OriginLimits.lingerMax)
            perform(state.withLock { Self.releaseIfDue(&$0, isAbandoned: true) })
        }
    }

    private func abortAll() {
        for attempt in state.withLock({ Array($0.attempts.values) }) { attempt.abort() }
    }

    private static func releaseIfDue(_ state: inout State, isAbandoned: Bool) -> Release? {
        guard case .draining(let release) = state.phase, state.attempts.isEmpty || isAbandoned
        else { return nil }
        state.phase = .releasing
        for clock in state.clocks { clock.cancel() }
        state.clocks = []
        return release
    }

    private func perform(_ release: Release?) {
        release? {
            let waiters = self.state.withLock { state in
                state.phase = .closed
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter() }
        }
    }
}
