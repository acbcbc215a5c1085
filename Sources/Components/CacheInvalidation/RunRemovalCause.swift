/// Why a publisher no longer knows a run without a grant.
package enum RunRemovalCause: String, CaseIterable, Sendable {
    /// It sent BYE.
    case bye
    /// A FORGET request named it.
    case forgotten
    /// It was silent for too long.
    case silent
}
