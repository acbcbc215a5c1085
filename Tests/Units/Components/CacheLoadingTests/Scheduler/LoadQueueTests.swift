import CacheModel
import Testing

@testable import CacheLoading

@Suite struct LoadQueueTests {
    /// What the queue should be: four lists.
    struct Model {
        var lines = [[UInt64]](repeating: [], count: 4)

        mutating func remove(_ number: UInt64) {
            for index in lines.indices { lines[index].removeAll { $0 == number } }
        }
    }

    @Test(arguments: UInt64(1)...30)
    func itIsFourListsWhateverHappens(seed: UInt64) throws {
        var (queue, model, dice) = (LoadQueue(), Model(), Jitter(seed: seed))
        var places: [UInt64: LoadQueue.Place] = [:]
        for number: UInt64 in 1...400 {
            let roll = Int(dice.upTo(.nanoseconds(999)).wholeNanoseconds)
            let line = try #require(LoadQueue.Line(rawValue: roll % 4))
            let now = Instant(nanoseconds: number)
            let chosen = places.keys.sorted().dropFirst(roll % max(1, places.count)).first
            switch (roll / 4 % 5, chosen.flatMap { places[$0] }, chosen) {
            case (0, let place?, let chosen?):
                queue.remove(place)
                places[chosen] = nil
                model.remove(chosen)
            case (1, let place?, let chosen?):
                queue.move(place, to: line, now: now)
                model.remove(chosen)
                model.lines[line.rawValue].append(chosen)
            default:
                places[number] = queue.append(
                    LoadTicket(shard: 0, number: number), to: line, now: now)
                model.lines[line.rawValue].append(number)
            }
            Self.compare(queue, model)
        }
        // From the front until nothing is left.
        while let first = queue.first {
            let line = model.lines.firstIndex { !$0.isEmpty }
            #expect(queue.ticket(at: first).number == line.flatMap { model.lines[$0].first })
            if let line { model.lines[line].removeFirst() }
            queue.remove(first)
        }
        #expect(queue.count == 0)
        #expect(model.lines.allSatisfy { $0.isEmpty })
    }

    static func compare(_ queue: LoadQueue, _ model: Model) {
        let count: Int = model.lines.reduce(0) { $0 + $1.count }
        #expect(queue.count == count)
        for line in LoadQueue.Line.allCases {
            let list = model.lines[line.rawValue]
            #expect(queue.count(of: line) == list.count)
            #expect(queue.oldest(of: line).map { queue.ticket(at: $0).number } == list.first)
            #expect(queue.newest(of: line).map { queue.ticket(at: $0).number } == list.last)
        }
        let least = model.lines[..<3].last { !$0.isEmpty }?.last
        #expect(queue.leastUrgent.map { queue.ticket(at: $0).number } == least)
    }

    @Test func aLoadWaitsSinceItJoinedItsLine() {
        var queue = LoadQueue()
        let place = queue.append(
            LoadTicket(shard: 0, number: 1), to: .prefetch, now: Instant(nanoseconds: 10))
        let before = queue.wait(at: place, now: Instant(nanoseconds: 30))
        queue.hasten(place, to: .awaited, now: Instant(nanoseconds: 40))
        let after = queue.wait(at: place, now: Instant(nanoseconds: 45))
        #expect(before == .nanoseconds(20))
        #expect(after == .nanoseconds(5))
        #expect(queue.line(of: place) == .awaited)
    }

    @Test func aLoadThatRestsIsHastenedOnlyWhenItHasRested() {
        var queue = LoadQueue()
        let now = Instant(nanoseconds: 10)
        let place = queue.append(LoadTicket(shard: 0, number: 1), to: .resting, now: now)
        queue.hasten(place, to: .awaited, now: now)
        #expect(queue.line(of: place) == .resting)
    }
}
