package import CacheDisk

extension TierMachineFacts {
    /// What a tier has to know of the machine and of its file.
    ///
    /// - Returns: `nil` if the system does not name its boots: a loss of power would go unnoticed.
    package init?(_ boot: BootFacts, _ file: FileImprint) {
        guard let id = boot.boot else { return nil }
        self.init(
            boot: id, calendar: boot.calendarMilliseconds, file: file.number, birth: file.birth)
    }
}
