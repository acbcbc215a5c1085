/// Why a write queue's journal cannot be continued.
package enum JournalDamage: Error, Equatable, Sendable, CustomStringConvertible {
    /// It has no journal header.
    case notAJournal
    case newerForm(UInt32)
    /// An acknowledged record cannot be read at this byte.
    case damaged(at: Int)

    package var description: String {
        switch self {
        case .notAJournal: "it is no journal of a write queue"
        case .newerForm(let version):
            "a later release wrote it (format \(version)); start that release again, or a later one"
        case .damaged(let offset):
            "byte \(offset) cannot be read, and writes that were accepted lie there; restore the "
                + "file, or move it away to continue without its writes"
        }
    }
}
