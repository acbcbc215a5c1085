import CacheAccess
import CacheModel
import CommandSurface
import LibC
import LoadTest
import MartletClient

/// The lines of `tail` between the log and the screen: in the log's order, each held back until its
/// receipt is there or is not to be had.
///
/// It never makes the log wait. So many receipts may be asked for at a time, and so many lines be
/// held; beyond either, lines go without.
struct TailBuffer {
    static let askedMax = 16
    static let heldMax = 64

    private var held: [TailLine] = []
    /// Positions with a receipt on its way, also where the line is gone.
    private var asked: Set<LogPosition> = []
    private let wantsReceipts: Bool
    /// Of which cluster the positions are that come; none where that is not known.
    private var cluster = ClusterID.none
    /// Whether the first loss leads to that cluster, and not away from it.
    private var isVoid = false

    init(wantsReceipts: Bool) {
        self.wantsReceipts = wantsReceipts
    }

    /// The stream is of a cluster's log.
    ///
    /// - Parameter isVoid: whether it was to begin at a place of another one, so that it begins
    ///   with a loss.
    mutating func follows(_ cluster: ClusterID, isVoid: Bool) {
        self.cluster = cluster
        self.isVoid = isVoid
    }

    /// Takes what happened.
    ///
    /// - Parameter moment: when it was heard.
    /// - Returns: a position for which to ask for the receipt.
    mutating func add(
        _ event: InvalidationStream.Event, at moment: TailMoment? = nil
    ) -> LogPosition? {
        if case .lost = event {
            // The log may be another cluster's from here on.
            if !isVoid { cluster = .none }
            isVoid = false
        }
        guard case .record(let record) = event, wantsReceipts else {
            held.append(TailLine(event, of: cluster, at: moment))
            return nil
        }
        guard asked.count < Self.askedMax, asked.insert(record.position).inserted else {
            held.append(TailLine(event, receipt: .unknown, of: cluster, at: moment))
            return nil
        }
        held.append(TailLine(event, receipt: .asked, of: cluster, at: moment))
        return record.position
    }

    /// A question is answered.
    ///
    /// - Parameter receipt: `nil` if no answer came.
    mutating func told(_ position: LogPosition, _ receipt: InvalidationReceipt?) {
        asked.remove(position)
        let index = held.firstIndex { $0.position == position && $0.receipt == .asked }
        guard let index else { return }
        held[index].receipt = receipt.map { .told($0) } ?? .unknown
    }

    /// The lines that wait for nothing any more, or for which there is no room.
    mutating func takeReady() -> [TailLine] {
        let settled = held.prefix { $0.receipt != .asked }.count
        return take(max(settled, held.count - Self.heldMax))
    }

    mutating func takeAll() -> [TailLine] { take(held.count) }

    private mutating func take(_ count: Int) -> [TailLine] {
        let taken = held.prefix(count)
        held.removeFirst(count)
        return taken.map { line in
            var line = line
            if line.receipt == .asked { line.receipt = .unknown }
            return line
        }
    }
}

/// When `tail` heard of a record.
struct TailMoment: Hashable {
    /// `14:30:05.120`, of this machine's time zone.
    let clock: String
    /// `2026-11-24T13:30:05.120Z`.
    let stamp: String

    /// - Parameter milliseconds: since 1970.
    init(milliseconds: Int64) {
        stamp = AuditTime.text(of: milliseconds)
        var seconds = time_t(milliseconds / 1_000)
        var local = tm()
        guard localtime_r(&seconds, &local) != nil else {
            clock = stamp
            return
        }
        let parts = [local.tm_hour, local.tm_min, local.tm_sec].map { Self.padded(Int($0), 2) }
        clock = parts.joined(separator: ":") + "." + Self.padded(Int(milliseconds % 1_000), 3)
    }

    static var now: TailMoment { TailMoment(milliseconds: Int64(clamping: WallClock.now)) }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

/// Notices that the publisher is away, and that it is back.
struct TailSilence {
    /// Four heartbeats.
    static let patience: Duration = .seconds(2)

    private var heardAt: ContinuousClock.Instant
    private var isAway = false

    init(now: ContinuousClock.Instant) {
        heardAt = now
    }

    /// Something was heard.
    ///
    /// - Returns: what to say of it.
    mutating func heard(
        _ event: InvalidationStream.Event, now: ContinuousClock.Instant
    ) -> String? {
        defer {
            heardAt = now
            isAway = false
        }
        guard isAway else { return nil }
        let silence = FigureText.timeLeft(now - heardAt)
        if case .heartbeat(let head) = event {
            return "the publisher is back after \(silence); its log ends at \(head)"
        }
        return "the publisher is back after \(silence)"
    }

    /// Time has passed.
    ///
    /// - Returns: what to say of it, once.
    mutating func passed(now: ContinuousClock.Instant) -> String? {
        guard !isAway, now - heardAt >= Self.patience else { return nil }
        isAway = true
        return "the publisher has been silent for \(FigureText.timeLeft(now - heardAt)); "
            + "waiting for it"
    }
}
