import CacheAccess
import Logging

/// `FILE.admin`, a copy of the lines about administration, which other lines cannot displace.
///
/// It is optional: if it cannot be opened or written, the lines are in `FILE` only, and nothing
/// else changes. Owned by the ``AuditWriter``.
struct AuditCopy: ~Copyable {
    /// `nil`: it could not be opened.
    private var file: AuditFile?
    private let names: AuditNames
    private let logger: Logger
    private var text = AuditText()
    /// Whether writing fails, and a log line has reported it.
    private var isFailing = false

    /// Opens the file; logs a warning if that fails.
    ///
    /// - Parameter settings: of the log that is copied.
    init(of settings: AuditSettings, logger: Logger) {
        names = settings.names
        self.logger = logger
        var apart = settings
        apart.path += ".admin"
        do throws(AuditFileError) {
            file = try AuditFile(apart)
        } catch {
            file = nil
            logger.warning("\(error); acts of administrators are in \(settings.path) alone")
        }
    }

    /// Appends a line, if the event is about administration.
    mutating func append(_ event: AuditEvent, at milliseconds: Int64) {
        guard event.isAdministrative else { return }
        event.appendLine(to: &text, at: milliseconds, names: names)
    }

    /// Writes the appended lines. Lines that cannot be written are dropped: `FILE` has them.
    mutating func flush() {
        guard !text.bytes.isEmpty else { return }
        let error = file?.append(text.bytes).1
        text.removeAll()
        if let error {
            if !isFailing { logger.error("acts of administrators are not copied: \(error)") }
            isFailing = true
        } else if isFailing {
            isFailing = false
            logger.notice("acts of administrators are copied again")
        }
    }

    /// Fsyncs the written lines.
    func synchronize() { file?.synchronize() }
}
