import CacheModel
import HeapModule

/// The time of one seed: what is planned, what has happened, and the dice that decide.
///
/// All parts of a world share one. Each event has its time and its step, and each random choice of
/// the main course is drawn here, so that a seed always has the same course.
final class Timeline {
    /// The phases of a seed, one after the other.
    enum Phase {
        /// Faults strike.
        case trouble
        /// There are no faults: all nodes must recover.
        case calm
        /// Every shard must load, store and find a value.
        case examination
        case over
    }

    let settings: Settings
    var dice: Dice
    var separate: SeparateDice
    private(set) var now = WorldTime.beginning
    /// Counts events, finer than time: of two steps the lesser happened before.
    var step = 0
    var phase = Phase.trouble
    /// Seconds by which the wall clocks are wrong.
    var wallOffset: Int64 = 0
    var tally = SimulationTally()
    private var queue = EventQueue<Event>()
    private(set) var trace: Trace

    init(
        seed: UInt64, guards: Guards, in kind: WorldKind = WorldKind(),
        telling tell: ((String) -> Void)?
    ) {
        (dice, separate) = (Dice(seed: seed), SeparateDice(seed: seed))
        settings = Settings(&dice, &separate, guards: guards, kind)
        trace = Trace(telling: tell)
    }

    func add(_ event: Event, at time: WorldTime) { queue.add(event, at: time) }

    /// Goes on to the earliest event; `nil` if nothing is planned any more.
    func next() -> Event? {
        guard let next = queue.takeFirst() else { return nil }
        now = next.time
        tally.count(.events)
        step += 1
        return next.event
    }

    func note(
        _ place: Trace.Place, _ what: StaticString, _ number: Int, at position: LogPosition
    ) {
        trace.note(now, place, what, number, at: position)
    }

    /// The wall time. Only the log's retention relies on it.
    var wallSeconds: UInt64 {
        UInt64(Int64(1_700_000_000 + now.nanoseconds / 1_000_000_000) + wallOffset)
    }

    /// Milliseconds since 1970, by a machine's wall clock.
    var calendarMilliseconds: UInt64 {
        let milliseconds = Int64(1_700_000_000_000 + now.nanoseconds / 1_000_000)
        return UInt64(milliseconds + 1_000 * wallOffset)
    }
}

/// A part of a world, in the world's time.
protocol WorldPart {
    var timeline: Timeline { get }
}

extension WorldPart {
    var settings: Settings { timeline.settings }
    var now: WorldTime { timeline.now }

    var dice: Dice {
        get { timeline.dice }
        nonmutating set { timeline.dice = newValue }
    }

    var step: Int {
        get { timeline.step }
        nonmutating set { timeline.step = newValue }
    }

    /// Whether there are no faults any more.
    var isCalm: Bool { timeline.phase != .trouble }
    /// Whether the examination has begun.
    var isExamined: Bool { timeline.phase == .examination || timeline.phase == .over }

    /// Plans an event at a random time.
    func plan(_ event: Event, within microseconds: ClosedRange<Int>) {
        timeline.add(event, at: now + .microseconds(dice.number(in: microseconds)))
    }

    /// The time until a thread notices its input.
    func soon() -> WorldTime {
        now + .microseconds(dice.number(in: 5...60))
    }

    func count(_ figure: SimulationTally.Figure, _ number: Int = 1) {
        timeline.tally.count(figure, number)
    }

    func note(
        _ place: Trace.Place, _ what: StaticString, _ number: Int = 0,
        at position: LogPosition = .none
    ) {
        timeline.note(place, what, number, at: position)
    }
}

/// Planned events, earliest first; at the same moment, in the order of planning.
struct EventQueue<Event> {
    private struct Entry: Comparable {
        var time: WorldTime
        var number: UInt64
        var event: Event

        static func == (lhs: Self, rhs: Self) -> Bool { lhs.number == rhs.number }

        static func < (lhs: Self, rhs: Self) -> Bool {
            (lhs.time, lhs.number) < (rhs.time, rhs.number)
        }
    }

    private var heap: Heap<Entry> = []
    private var count: UInt64 = 0

    mutating func add(_ event: Event, at time: WorldTime) {
        count += 1
        heap.insert(Entry(time: time, number: count, event: event))
    }

    mutating func takeFirst() -> (time: WorldTime, event: Event)? {
        heap.popMin().map { ($0.time, $0.event) }
    }
}
