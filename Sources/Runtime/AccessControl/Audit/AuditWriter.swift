import CacheAccess
import CacheModel
import Logging
import Threading
import ZeroMQ

/// The state of the audit thread: the file, the lines being formatted, and the number of lost
/// events.
struct AuditWriter: ~Copyable {
    private var file: AuditFile
    private var administration: AuditCopy
    private let names: AuditNames
    private let logger: Logger
    /// The lines that are not written yet.
    private var text: [UInt8] = []
    private var rates = AuditRates()
    /// Lines in ``text``.
    private var lineCount = 0
    /// Lost events that no line has reported yet.
    private var lostCount: UInt64 = 0
    /// Whether the disk accepts nothing, and that was reported.
    private var isFailing = false

    /// Opens the file, and the copy for administration events if possible.
    init(_ settings: AuditSettings, logger: Logger) throws(AuditFileError) {
        file = try AuditFile(settings)
        administration = AuditCopy(of: settings, logger: logger)
        names = settings.names
        self.logger = logger
        if file.isReadableByOthers {
            logger.warning(
                "others may read the audit file: its mode should be 600",
                metadata: ["file": "\(settings.path)"])
        }
    }

    mutating func run(_ mailbox: AuditMailbox) {
        var poller = Poller()
        _ = poller.add(mailbox.wakeup)
        while true {
            do throws(ZeroMQError) {
                let isWaiting = lostCount > 0 || rates.nextReport != nil
                let patience = isWaiting ? AccessLimits.auditRetryInterval : nil
                _ = try poller.wait(timeout: patience)
            } catch {
                return logger.critical("the audit log ends: \(error)")
            }
            let taken = mailbox.takeAll()
            lostCount += taken.lostCount
            write(taken.letters)
            guard !taken.isStopped else { return end() }
        }
    }

    private mutating func write(_ letters: [AuditMailbox.Letter]) {
        sayLost()
        let now = MonotonicClock.now
        for event in rates.takeLeftOut(now: now) { append(event, at: AuditClock.milliseconds) }
        for letter in letters where rates.mayNote(letter.event, now: now) {
            append(letter.event, at: letter.milliseconds)
        }
        flush()
        administration.flush()
    }

    private mutating func append(_ event: AuditEvent, at milliseconds: Int64) {
        let line = event.line(at: milliseconds, names: names).utf8
        text += line
        lineCount += 1
        if event.isAdministrative { administration.append(line) }
        if text.count >= AccessLimits.auditBatchBytes { flush() }
    }

    /// Reports the number of lost events, as soon as there is space. The line is short, and fits
    /// where others do not: only other lines show whether the disk accepts writes again.
    private mutating func sayLost() {
        guard lostCount > 0 else { return }
        let line = AuditEvent(.lost(count: lostCount))
            .line(at: AuditClock.milliseconds, names: names)
        if let error = file.append(Array(line.utf8)).1 { return complain(error) }
        lostCount = 0
    }

    private mutating func flush() {
        guard lineCount > 0 else { return }
        let (count, error) = file.append(text)
        if let error {
            let written = text.prefix(count).count { $0 == UInt8(ascii: "\n") }
            lostCount += UInt64(lineCount - written)
            complain(error)
        } else if isFailing {
            isFailing = false
            logger.notice("the audit log is written again")
        }
        text.removeAll(keepingCapacity: true)
        lineCount = 0
    }

    /// Logs an error once, until writing succeeds again.
    private mutating func complain(_ error: AuditFileError) {
        guard !isFailing else { return }
        isFailing = true
        logger.error("lines of the audit log are lost, and counted: \(error)")
    }

    private mutating func end() {
        sayLost()
        if let due = rates.nextReport {
            for event in rates.takeLeftOut(now: due) { append(event, at: AuditClock.milliseconds) }
            flush()
        }
        if lostCount > 0 {
            logger.error("the audit log ends", metadata: ["lost": "\(lostCount)"])
        }
        file.synchronize()
        administration.synchronize()
    }
}

/// `FILE.admin`, a copy of the lines about administration, which other lines cannot displace.
///
/// It is optional: if it cannot be opened or written, the lines are in `FILE` only, and nothing
/// else changes. Owned by the ``AuditWriter``.
struct AuditCopy: ~Copyable {
    /// `nil`: it could not be opened.
    private var file: AuditFile?
    private let logger: Logger
    private var text: [UInt8] = []
    /// Whether writing fails, and a log line has reported it.
    private var isFailing = false

    /// Opens the file; logs a warning if that fails.
    ///
    /// - Parameter settings: of the log that is copied.
    init(of settings: AuditSettings, logger: Logger) {
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

    mutating func append(_ line: String.UTF8View) { text += line }

    /// Writes the appended lines. Lines that cannot be written are dropped: `FILE` has them.
    mutating func flush() {
        guard !text.isEmpty else { return }
        let error = file?.append(text).1
        text.removeAll(keepingCapacity: true)
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
