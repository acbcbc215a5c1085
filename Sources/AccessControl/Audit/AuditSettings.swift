package import CacheAccess

/// The settings of a process's audit log.
package struct AuditSettings: Sendable {
    package var path: String
    /// The file is moved aside before it grows beyond this.
    package var fileBytesMax = 64 << 20
    /// How many files there are at most, with the one that is written.
    package var fileCountMax = 8
    package var names = AuditNames.clear

    package init(path: String) { self.path = path }
}
