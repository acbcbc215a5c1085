package import CacheAccess

/// The settings of a process's audit log.
package struct AuditSettings: Sendable {
    package var path: String
    /// The file is rotated before it grows beyond this.
    package var fileBytesMax = 64 << 20
    /// Maximum number of files, including the current one.
    package var fileCountMax = 8
    package var names = AuditNames.clear

    package init(path: String) { self.path = path }
}
