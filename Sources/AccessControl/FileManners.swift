import Foundation

/// What is to be known of a file with secrets before it is read.
package struct FileManners: Sendable {
    /// Whether it is a file: nothing that could be waited for, or that has no end.
    package let isOrdinary: Bool
    package let bytes: Int
    /// The nine bits of who may.
    package let mode: UInt32
    /// Whether others than its owner may read it.
    package let isOpen: Bool

    /// `nil` if it is not there, or may not be looked at.
    package init?(_ path: String) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        isOrdinary = facts.st_mode & S_IFMT == S_IFREG
        bytes = Int(facts.st_size)
        mode = UInt32(facts.st_mode) & 0o777
        isOpen = KeyFile.isOpen(
            mode: UInt32(facts.st_mode), owner: facts.st_uid, reader: geteuid())
    }
}
