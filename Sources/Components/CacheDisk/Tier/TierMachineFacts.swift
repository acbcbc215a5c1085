/// Facts about the machine and a tier's file, when the tier is opened or closed.
package struct TierMachineFacts: Equatable, Sendable {
    package var boot: BootID
    /// Milliseconds since 1970.
    package var calendar: UInt64
    /// The file's inode number, and its creation time in nanoseconds since 1970; 0 unknown. A copy
    /// has other values.
    package var file: UInt64
    package var birth: UInt64

    package init(boot: BootID, calendar: UInt64, file: UInt64, birth: UInt64) {
        self.boot = boot
        self.calendar = calendar
        self.file = file
        self.birth = birth
    }
}
