/// Whether a process is ready for requests.
package enum Readiness: Hashable, Sendable {
    case ready
    /// Not now, with a reason for people.
    case unready(String)
}
