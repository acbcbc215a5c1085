import CacheModel
import Testing

@testable import GatewayCore

/// Every order of a few events around one who comes back: no record is lost, doubled or out of
/// order between what is replayed and what is live.
@Suite struct PushHubSeamTests {
    enum Event: CaseIterable {
        case record, step, take, beat
    }

    private static let head: UInt64 = 3
    private static let length = 5

    @Test(arguments: [2, 100])
    func noOrderOfEventsLosesOrDoublesARecord(ringRecords: Int) throws {
        let all = Event.allCases
        let fresh = Self.bench(ringRecords)
        var runs = 0
        for code in 0..<(1 << (2 * Self.length)) {
            let events = (0..<Self.length).map { all[code >> (2 * $0) & 3] }
            for place in 0...Self.length {
                for start in [nil, 0, 1, 2, 3, 4, 6] as [UInt64?] {
                    try run(events, on: fresh, subscribingAt: place, after: start, ringRecords)
                    runs += 1
                }
            }
        }
        #expect(runs == 1_024 * 6 * 7)
    }

    private static func bench(_ ringRecords: Int) -> HubBench {
        var bench = HubBench(at: head, ringRecords: ringRecords)
        bench.takesAtOnce = false
        // So little that each message stops a replay.
        bench.hub.replayBytesAhead = 1
        return bench
    }

    private func run(
        _ events: [Event], on fresh: HubBench, subscribingAt place: Int, after start: UInt64?,
        _ ringRecords: Int
    ) throws {
        var bench = fresh
        var head = Self.head
        var reader: SubscriberID?
        var begun = head
        for (number, event) in (events + [.step]).enumerated() {
            if number == place {
                begun = head
                reader = try bench.subscribe(after: start)
            }
            switch event {
            case .record:
                head += 1
                bench.receive(record(head))
            case .step: bench.step(comparisons: 1)
            case .take: if let reader { bench.take(reader) }
            case .beat: bench.beat(head)
            }
        }
        let id = try #require(reader)
        // At last the reader reads, and the log is as far as it was said to be.
        for _ in 0..<20 {
            bench.take(id)
            bench.step(comparisons: 1)
        }
        while head < start ?? 0 {
            head += 1
            bench.receive(record(head))
        }
        judge(bench.messages(id), from: start ?? begun, to: head, ringRecords, events)
    }

    private func fail(_ message: PushMessage, after known: LogPosition, _ events: [Event]) {
        let place = message.position.map(\.description) ?? "-"
        Issue.record("\(message.kind) \(place) after \(known) in \(events)")
    }

    /// What it was told follows what it had heard, one by one, save where a gap is told.
    private func judge(
        _ messages: [PushMessage], from start: UInt64, to head: UInt64,
        _ ringRecords: Int, _ events: [Event]
    ) {
        var known = at(start)
        var gaps = 0
        for message in messages {
            switch message.kind {
            case .record:
                if message.position != known.next { fail(message, after: known, events) }
                known = message.position ?? known
            case .gone:
                if message.position == known { fail(message, after: known, events) }
                known = message.position ?? known
                gaps += 1
            case .hello:
                if message.position != known { fail(message, after: known, events) }
            case .heartbeat, .end: Issue.record("\(message.kind) in \(events)")
            }
        }
        // Cheaper than to expect each by itself, in a test that judges so often.
        let end = max(at(head), at(start))
        let gapsMax = ringRecords > 10 && start <= Self.head ? 0 : 1
        if known == end && gaps <= gapsMax { return }
        #expect(known == end, "\(events)")
        // A gap is told only where there is one.
        #expect(gaps <= gapsMax, "\(events)")
    }
}

extension HubBench {
    mutating func step(comparisons: Int) {
        perform { $0.step(comparisons: comparisons, $1, &$2) }
    }
}
