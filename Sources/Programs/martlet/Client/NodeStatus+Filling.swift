import CacheModel

/// Whether a node that has started has copied from its replicas what they hold.
extension NodeStatus {
    /// What it still waits for; `nil`: it is filled, or needs no replica.
    var filling: String? {
        guard state == .live else { return nil }
        return switch sum("warm_up_phase") {
        case 1: "is being filled: it asks a replica what that holds"
        case 2:
            "is being filled: \(sum("warm_up_done") ?? 0) of \(sum("warm_up_keys") ?? 0) keys of a "
                + "replica are here"
        case 5: "is empty, and waits for a LIVE replica to be filled from"
        default: nil
        }
    }

    /// Why it ended before the node was filled; `nil`: it did not. A node of a release that does
    /// not count replicas is taken for filled.
    var unfilled: String? {
        guard state == .live, sum("warm_up_phase") == 3, sum("warm_up_replicas") == 0 else {
            return nil
        }
        return "is not filled: no replica gave all that it holds"
    }

    /// Whether the next node may be restarted, as far as this one is concerned.
    var isFilled: Bool { state == .live && filling == nil && unfilled == nil }
}
