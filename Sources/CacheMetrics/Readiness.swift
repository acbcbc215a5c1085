/// Whether a process should be sent work.
package enum Readiness: Hashable, Sendable {
    case ready
    /// Not now, for a reason that people understand.
    case unready(String)
}
