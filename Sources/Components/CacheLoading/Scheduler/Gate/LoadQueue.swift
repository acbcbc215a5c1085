import CacheModel

/// The loads of one namespace that are not at the origin, in four lines, each in order of arrival.
///
/// The lines are linked through one array, so that a load that is cancelled, made more urgent or
/// out of time leaves from the middle in O(1), and nothing is left behind.
struct LoadQueue {
    enum Line: Int, CaseIterable {
        case awaited = 0
        case refresh = 1
        case prefetch = 2
        /// Between two attempts: not waiting for a turn.
        case resting = 3

        init(_ urgency: LoadUrgency) {
            self =
                switch urgency {
                case .awaited: .awaited
                case .refresh: .refresh
                case .prefetch: .prefetch
                }
        }
    }

    /// The place of a load; it stays the same when the load changes its line.
    struct Place: Hashable {
        fileprivate let index: Int
    }

    private struct Node {
        var ticket: LoadTicket?
        var line = Line.awaited
        var since: Instant
        /// In a line, the neighbour that came after; if free, the next free place.
        var newer: Int?
        var older: Int?
    }

    private struct Ends {
        var oldest: Int?
        var newest: Int?
        var count = 0
    }

    /// As long as the queue has ever been.
    private var nodes: [Node] = []
    private var firstFree: Int?
    private var ends = [Ends](repeating: Ends(), count: Line.allCases.count)

    /// All loads that wait or rest.
    private(set) var count = 0

    func count(of line: Line) -> Int { ends[line.rawValue].count }
    func oldest(of line: Line) -> Place? { ends[line.rawValue].oldest.map(Place.init) }
    func newest(of line: Line) -> Place? { ends[line.rawValue].newest.map(Place.init) }

    /// The oldest of the first line that is not empty; resting loads come last.
    var first: Place? { Line.allCases.lazy.compactMap { oldest(of: $0) }.first }

    /// The newest of the least urgent line that is not empty. Resting loads do not count: the
    /// origin has already worked for them.
    var leastUrgent: Place? {
        newest(of: .prefetch) ?? newest(of: .refresh) ?? newest(of: .awaited)
    }

    func ticket(at place: Place) -> LoadTicket {
        guard let ticket = nodes[place.index].ticket else {
            preconditionFailure("a place is used only while its load is in it")
        }
        return ticket
    }

    func line(of place: Place) -> Line { nodes[place.index].line }

    func wait(at place: Place, now: Instant) -> Duration {
        now.elapsed(since: nodes[place.index].since)
    }

    mutating func append(_ ticket: LoadTicket, to line: Line, now: Instant) -> Place {
        let index: Int
        if let free = firstFree {
            index = free
            firstFree = nodes[free].newer
        } else {
            index = nodes.count
            nodes.append(Node(since: now))
        }
        nodes[index].ticket = ticket
        link(index, into: line, now: now)
        return Place(index: index)
    }

    mutating func remove(_ place: Place) {
        precondition(nodes[place.index].ticket != nil, "a removed load was in the queue")
        unlink(place.index)
        nodes[place.index].ticket = nil
        nodes[place.index].newer = firstFree
        firstFree = place.index
    }

    mutating func move(_ place: Place, to line: Line, now: Instant) {
        unlink(place.index)
        link(place.index, into: line, now: now)
    }

    /// Moves to the end of a more urgent line. A resting load joins that line later.
    mutating func hasten(_ place: Place, to urgency: LoadUrgency, now: Instant) {
        guard line(of: place) != .resting else { return }
        move(place, to: Line(urgency), now: now)
    }

    private mutating func link(_ index: Int, into line: Line, now: Instant) {
        let last = ends[line.rawValue].newest
        nodes[index].line = line
        nodes[index].since = now
        nodes[index].older = last
        nodes[index].newer = nil
        if let last { nodes[last].newer = index } else { ends[line.rawValue].oldest = index }
        ends[line.rawValue].newest = index
        ends[line.rawValue].count += 1
        count += 1
    }

    private mutating func unlink(_ index: Int) {
        let (line, older, newer) = (nodes[index].line, nodes[index].older, nodes[index].newer)
        if let older { nodes[older].newer = newer } else { ends[line.rawValue].oldest = newer }
        if let newer { nodes[newer].older = older } else { ends[line.rawValue].newest = older }
        ends[line.rawValue].count -= 1
        count -= 1
    }
}
