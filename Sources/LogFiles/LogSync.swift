/// When what was appended to a log on disk survives losing power.
package enum LogSync: String, Hashable, Sendable, CaseIterable {
    /// Before it is told to anybody. Nothing that was acknowledged is ever lost.
    case always
    /// A tenth of a second later. Losing power loses that much; a process that dies loses nothing.
    case interval
    /// When the system likes. A process that dies loses nothing.
    case none
}
