/// When records that were appended to a log on disk survive losing power.
package enum LogSync: String, Hashable, Sendable, CaseIterable {
    /// Before they are sent to any node. Nothing that was acknowledged is ever lost.
    case always
    /// A tenth of a second later. Losing power loses that much; a process that dies loses nothing.
    case interval
    /// When the system likes. A process that dies loses nothing.
    case none
}
