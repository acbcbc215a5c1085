import CacheModel
package import CacheLoading

/// Where values come from: makes one attempt at a time for a caller that decides when and how
/// often.
///
///      a node's shell ──begin(request)──▶ ┌────────┐ ──▶ HTTP(S) server   HTTPOrigin
///                     ◀────Attempt─────── │ Origin │ ──▶ a program        CommandOrigin
///                     ◀─whenDone(outcome) └────────┘ ──▶ a closure        ClosureOrigin
///
/// ### What every origin promises
/// - `whenDone` is called exactly once for every `begin`, whatever races: an answer, the request's
///   timeout, ``Attempt/abort()``, a shutdown. It is called on any thread, possibly before `begin`
///   has returned, and on the aborting thread if that is what ends the attempt; so it must be
///   short, must not block, and must not wait for this origin.
/// - It comes within the request's timeout, give or take what a busy machine adds.
/// - A value longer than `valueBytesMax` is never handed over, nor read to its end.
/// - An answer that is no value (its status is not 2xx) comes without its body.
/// - `elapsed` is measured on a monotonic clock from `begin`.
///
/// ### What no origin does
/// It does not retry, wait for its turn, follow redirects, decode, judge a status or keep a value:
/// CacheLoading decides all that. It does not bound how many attempts are under way other than to
/// protect itself; its caller does.
///
/// All of this is `OriginConformance` in this module's tests, which every origin passes.
package protocol Origin: Sendable {
    /// Begins one attempt. May be called on any thread; never blocks.
    ///
    /// After ``shutDown(grace:whenDone:)`` the outcome is `failed(.cancelled)`; if more attempts
    /// are under way than this origin can have, it is `failed(.overloaded)`; if the key cannot be
    /// put into the request, it is `failed(.refused)`.
    @discardableResult
    func begin(
        _ request: OriginRequest, whenDone: @escaping @Sendable (AttemptOutcome) -> Void
    ) -> Attempt

    /// Begins nothing new, lets what is under way end for `grace`, aborts the rest, and releases
    /// connections and threads.
    ///
    /// - Parameter whenDone: called once, on any thread, when every attempt has had its outcome
    ///   and nothing is held any more. If this is called again, all of them are called.
    func shutDown(grace: Duration, whenDone: @escaping @Sendable () -> Void)
}
