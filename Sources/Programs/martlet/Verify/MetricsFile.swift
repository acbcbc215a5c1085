import CommandSurface

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A file that another program reads at any moment: it is replaced as a whole.
struct MetricsFile: Sendable {
    private let file: ReplacedFile

    /// - Throws: ``CommandFailure`` if it cannot be written: before anything is looked at.
    init(path: String) throws(CommandFailure) {
        file = try ReplacedFile(path, flag: "--metrics")
        try write("")
    }

    func write(_ report: VerifyReport) throws(CommandFailure) { try write(report.metricsText) }

    private func write(_ text: String) throws(CommandFailure) {
        do {
            try file.write(Data(text.utf8))
        } catch {
            throw CommandFailure(
                .refused,
                "--metrics: \(file.url.path) cannot be written: \(SystemReason.text(error)); its "
                    + "directory has to be there, and to let this user write")
        }
    }
}
