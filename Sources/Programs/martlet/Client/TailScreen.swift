import CacheModel
import CommandSurface
import MartletClient

/// What `tail` says, one sentence after the other: lines in their order, and on standard error what
/// happened to the publisher.
actor TailScreen {
    private let style: OutputStyle
    private var buffer: TailBuffer
    private var silence = TailSilence(now: .now)
    private var hasSaidRefusal = false
    private var hasSaidPart = false
    private var hasSaidListening = false
    private let isQuiet: Bool

    init(style: OutputStyle, wantsReceipts: Bool, isQuiet: Bool) {
        self.style = style
        self.isQuiet = isQuiet
        buffer = TailBuffer(wantsReceipts: wantsReceipts)
    }

    /// The stream is of a cluster's log, and was to begin after a position.
    func follows(_ cluster: ClusterID, after start: ClusterPosition?) {
        let isVoid = start?.cluster.contradicts(cluster) ?? false
        buffer.follows(cluster, isVoid: isVoid)
        if let start, isVoid {
            Console.complain(
                "\(start) is of another cluster: history is gone, and this one, \(cluster), is "
                    + "followed from the head of its log")
        }
    }

    /// - Returns: a position for which to ask for the receipt.
    func heard(_ event: InvalidationStream.Event) throws -> LogPosition? {
        if let sentence = silence.heard(event, now: .now) { remark(sentence) }
        if !hasSaidListening {
            hasSaidListening = true
            remark(Self.greeting(event))
        }
        let position = buffer.add(event, at: .now)
        try say(buffer.takeReady())
        return position
    }

    func told(_ position: LogPosition, _ answer: Result<InvalidationReceipt, CacheError>) throws {
        switch answer {
        case .success(let receipt): buffer.told(position, receipt)
        case .failure(let error):
            buffer.told(position, nil)
            if error.code == .refused || error.code == .unauthorised, !hasSaidRefusal {
                hasSaidRefusal = true
                Console.complain("no receipts: \(error.sentence(endpoints: []))")
            }
        }
        try say(buffer.takeReady())
    }

    /// The key may read only a part of the cluster.
    func seesPart() {
        guard !hasSaidPart else { return }
        hasSaidPart = true
        Console.complain(
            "your key may read a part of this cluster: records that cover that part are shown, "
                + "and wider scopes as the prefix of the keys that you may read")
    }

    /// To be called now and then.
    func passTime() {
        if let sentence = silence.passed(now: .now) { remark(sentence) }
    }

    private func remark(_ sentence: String) {
        if !isQuiet { Console.complain(sentence) }
    }

    /// That the publisher is heard: said once, with the first that is heard.
    static func greeting(_ event: InvalidationStream.Event) -> String {
        guard case .heartbeat(let head) = event else {
            return "listening for invalidations; Ctrl-C ends it"
        }
        return "listening for invalidations, the log ends at \(head); Ctrl-C ends it"
    }

    func finish() throws { try say(buffer.takeAll()) }

    private func say(_ lines: [TailLine]) throws {
        for line in lines { try line.output(style).say() }
    }
}
