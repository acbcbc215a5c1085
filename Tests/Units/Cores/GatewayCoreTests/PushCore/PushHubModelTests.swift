import CacheAccess
import CacheModel
import Testing
import TestSupport

@testable import GatewayCore

/// The hub against a model that holds every record against every subscriber.
@Suite struct PushHubModelTests {
    private struct Asked {
        let interests: [Interest]
        let meant: [Scope.Target]
        let entry: AccessEntry?
        let start: LogPosition
    }

    private struct Model {
        var records: [InvalidationRecord] = []
        var asked: [SubscriberID: Asked] = [:]

        /// What a subscriber should have been told, in order.
        func told(_ id: SubscriberID) -> [PushMessage] {
            guard let asked = asked[id] else { return [] }
            let meant = asked.meant.map(SmallWorld.meant)
            return records.filter { $0.position > asked.start }.compactMap { record in
                let whole = Array(record.scopes)
                let shown = asked.entry?.visible(of: whole) ?? whole
                let scopes = shown.filter { scope in
                    let covered = SmallWorld.covered(by: scope.target)
                    return meant.contains { !$0.isDisjoint(with: covered) }
                }
                return scopes.isEmpty ? nil : .record(record, scopes: scopes)
            }
        }
    }

    @Test(arguments: 1...24 as ClosedRange<UInt64>)
    func everybodyIsToldWhatTheModelTells(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        let targets = try SmallWorld.targets()
        let entries = [
            nil, try entry("read", "n"), try entry("read", "n/a,m/ab"),
            try entry("read", "m/ab,n/a"), try entry("read", "n/ab"), try entry("read", "m*,n/b"),
        ]
        var bench = HubBench(at: 0)
        var model = Model()
        for _ in 0..<300 {
            switch Int.random(in: 0..<10, using: &dice) {
            case 0...3:
                let scopes = (0..<Int.random(in: 1...4, using: &dice)).compactMap { _ in
                    targets.randomElement(using: &dice).map { Scope($0) }
                }
                let next = record(UInt64(model.records.count + 1), scopes)
                model.records.append(next)
                bench.receive(next)
            case 4...6: try come(&bench, &model, targets, entries, &dice)
            case 7:
                guard
                    let id = model.asked.keys.sorted(by: { $0.serial < $1.serial })
                        .randomElement(using: &dice)
                else { continue }
                #expect(isBeginning(of: model.told(id), bench.messages(id)))
                model.asked[id] = nil
                bench.leave(id)
            case 8: bench.step(comparisons: 20)
            default: bench.pass(.milliseconds(Int64.random(in: 0...3_000, using: &dice)))
            }
        }
        bench.settle()
        for id in model.asked.keys {
            #expect(bench.messages(id).filter { $0.kind == .record } == model.told(id))
        }
        #expect(bench.hub.snapshot.cut == 0 && bench.hub.snapshot.gone == 0)
    }

    private func come(
        _ bench: inout HubBench, _ model: inout Model, _ targets: [Scope.Target],
        _ entries: [AccessEntry?], _ dice: inout SeededGenerator
    ) throws {
        let meant = (0..<Int.random(in: 1...3, using: &dice)).compactMap { _ in
            targets.randomElement(using: &dice)
        }
        let head = UInt64(model.records.count)
        let start = Bool.random(using: &dice) ? UInt64.random(in: 0...head, using: &dice) : nil
        let entry = entries.randomElement(using: &dice) ?? nil
        let interests = meant
        let subscription: PushSubscription
        do {
            subscription = try PushSubscription(interests, after: start.map { at($0) }, for: entry)
        } catch {
            // Of some entries some of it is refused; of who sees everything nothing is.
            #expect(entry != nil && error.code == .unauthorised)
            return
        }
        let id = try bench.subscribe(subscription)
        model.asked[id] = Asked(
            interests: interests, meant: meant, entry: entry, start: at(start ?? head))
    }

    /// Who leaves during a replay has heard the beginning of it.
    private func isBeginning(of told: [PushMessage], _ messages: [PushMessage]) -> Bool {
        told.starts(with: messages.filter { $0.kind == .record })
    }

    /// One record for 50 of 5 000 costs as much as for 50 of 100: it is told to those whom the
    /// index finds, and nobody else is looked at.
    @Test func anIndexLookupReturnsOnlyMatchingSubscribers() throws {
        var index = InterestIndex()
        for slot in 0..<5_000 {
            index.insert([try key("user:\(slot / 50):")], slot)
        }
        var found: [Int] = []
        index.touched(by: Scope(try key("user:7:")), into: &found)
        #expect(found.sorted() == Array(350..<400))
    }
}
