import Foundation

/// A file that another program reads at any moment: it is replaced as a whole.
struct MetricsFile: Sendable {
    private let url: URL

    /// - Throws: ``CommandFailure`` if it cannot be written: before anything is looked at.
    init(path: String) throws(CommandFailure) {
        url = URL(fileURLWithPath: path)
        try write("")
    }

    func write(_ report: VerifyReport) throws(CommandFailure) { try write(report.metricsText) }

    private func write(_ text: String) throws(CommandFailure) {
        do {
            try Data(text.utf8).write(to: url, options: .atomic)
        } catch {
            let reason = (error as NSError).localizedDescription
            throw CommandFailure(
                .refused,
                "--metrics: \(url.path) cannot be written: \(HarmlessText.line(reason)); its "
                    + "directory has to be there, and to let this user write")
        }
    }
}
