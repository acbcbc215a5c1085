/// Why a publisher no longer knows a run that held no grant any more.
package enum RunRemovalCause: String, CaseIterable, Sendable {
    /// It said goodbye.
    case bye
    /// Somebody asked for it.
    case forgotten
    /// Nothing was heard of it for long.
    case silent
}
