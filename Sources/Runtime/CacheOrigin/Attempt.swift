import CacheModel
package import CacheLoading
import Threading

/// One attempt that has begun: the place where everything that may end it meets, so that the first
/// one does and the others find nothing left to do.
package final class Attempt: Sendable {
    private enum Course {
        /// - Parameter release: stops the work behind it; `nil`: there is none yet.
        case underway(
            whenDone: @Sendable (AttemptOutcome) -> Void, release: (@Sendable () -> Void)?)
        case ended
    }

    private let course: Guarded<Course>
    private let begunAt = ContinuousClock.now

    /// - Parameter whenDone: called once.
    package init(whenDone: @escaping @Sendable (AttemptOutcome) -> Void) {
        course = Guarded(.underway(whenDone: whenDone, release: nil))
    }

    /// Since this was made.
    package var elapsed: Duration { begunAt.duration(to: .now) }

    /// Ends the attempt with `failed(.cancelled)` before this returns, unless it has ended. What
    /// works for it stops soon after; its connection is closed.
    package func abort() {
        end(with: .failed(.cancelled), andRelease: true)
    }

    /// The work has come to this. Does nothing if the attempt has ended before.
    package func finish(_ outcome: AttemptOutcome) {
        end(with: outcome, andRelease: false)
    }

    /// Says how to stop the work; done at once if the attempt has ended before.
    package func whenCut(_ release: @escaping @Sendable () -> Void) {
        let isOver = course.withLock { course in
            guard case .underway(let whenDone, _) = course else { return true }
            course = .underway(whenDone: whenDone, release: release)
            return false
        }
        if isOver { release() }
    }

    private func end(with outcome: AttemptOutcome, andRelease isCut: Bool) {
        let before = course.withLock { course in
            defer { course = .ended }
            return course
        }
        guard case .underway(let whenDone, let release) = before else { return }
        if isCut { release?() }
        whenDone(outcome)
    }
}
