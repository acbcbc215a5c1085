import CacheModel
package import CacheLoading

/// An origin that is a closure of the program around it: for a cache that is a library.
///
/// The closure runs in a task of its own, on Swift's own threads; it must not block them. An abort,
/// a timeout or a shutdown cancels the task and does not wait for it: a closure that goes on all
/// the same counts against a bound (1 024 at a time) until it returns, and its answer is dropped.
///
/// What it throws means: ``AttemptFailure``, what that says; `CancellationError`, `cancelled`;
/// anything else, `unreachable`.
package final class ClosureOrigin: Origin {
    /// - Returns: as over HTTP: 200 and a value, 404, 304 if the request holds a validator; 200 or
    ///   204 to a write. The elapsed time is measured outside and replaces the closure's own.
    package typealias Load = @Sendable (OriginRequest) async throws -> OriginReply

    private let load: Load
    private let register = AttemptRegister(attemptsMax: OriginLimits.workMax)

    package init(_ load: @escaping Load) {
        self.load = load
    }

    @discardableResult
    package func begin(
        _ request: OriginRequest, whenDone: @escaping @Sendable (AttemptOutcome) -> Void
    ) -> Attempt {
        let attempt = Attempt(whenDone: whenDone)
        guard request.timeout > .zero else {
            attempt.finish(.failed(.timedOut))
            return attempt
        }
        switch register.admit(attempt) {
        case .admitted: work(on: request, for: attempt)
        case .full: attempt.finish(.failed(.overloaded))
        case .closed: attempt.finish(.failed(.cancelled))
        }
        return attempt
    }

    private func work(on request: OriginRequest, for attempt: Attempt) {
        let timer = Task {
            try await Task.sleep(for: min(request.timeout, OriginLimits.timeoutMax))
            attempt.cut(.timedOut)
        }
        let work = Task { [load, register] in
            let outcome = await Self.outcome(of: load, request, attempt)
            timer.cancel()
            attempt.finish(outcome)
            register.leave(attempt)
        }
        attempt.whenCut {
            timer.cancel()
            work.cancel()
        }
    }

    private static func outcome(
        of load: Load, _ request: OriginRequest, _ attempt: Attempt
    ) async -> AttemptOutcome {
        do {
            var reply = try await load(request)
            reply.elapsed = attempt.elapsed
            switch reply.status {
            case _ where request.write != nil:
                let isNo = reply.status >= 300
                reply.body = isNo ? Array(reply.body.prefix(WriteLimits.wordsBytesMax)) : []
            case 200...299 where reply.body.count > request.valueBytesMax:
                return .failed(.tooLarge)
            case 200...299: break
            case 304 where request.validator == nil: return .failed(.malformed)
            default: reply.body = []
            }
            return .answered(reply)
        } catch let error as AttemptFailure {
            return .failed(error.failure)
        } catch is CancellationError {
            return .failed(.cancelled)
        } catch {
            return .failed(.unreachable)
        }
    }

    package func shutDown(grace: Duration, whenDone: @escaping @Sendable () -> Void) {
        register.close(grace: grace, release: { done in done() }, whenDone: whenDone)
    }
}
