/// When what is appended to a log on disk survives losing power.
package enum LogSyncMode: String, Hashable, Sendable, CaseIterable {
    /// Before any process hears of it.
    case always
    /// A tenth of a second later.
    case interval
    /// When the system likes.
    case none
}
