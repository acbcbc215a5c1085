package import CacheDisk

extension TierMachineFacts {
    /// What a tier has to know of the machine and of its file.
    ///
    /// - Returns: `nil` if the system does not name its boots: a loss of power would go unnoticed.
    package init?(_ boot: BootFacts, _ file: FileImprint) {
        guard boot.boot != nil else { return nil }
        self.init(showing: boot, file)
    }

    /// Where the system does not name its boots every file is of another one.
    init(showing facts: BootFacts, _ imprint: FileImprint) {
        self.init(
            boot: facts.boot ?? BootID(high: 0, low: 0), calendar: facts.calendarMilliseconds,
            file: imprint.number, birth: imprint.birth)
    }
}
