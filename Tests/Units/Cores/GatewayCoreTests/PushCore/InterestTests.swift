import CacheModel
import Testing
import TestSupport

@testable import GatewayCore

@Suite struct InterestTests {
    @Test func aScopeTouchesWhatItMayCover() throws {
        let targets = try SmallWorld.targets()
        for wanted in targets {
            let meant = SmallWorld.meant(by: wanted)
            for target in targets {
                let isTouched = !meant.isDisjoint(with: SmallWorld.covered(by: target))
                #expect(
                    wanted.touches(Scope(target)) == isTouched,
                    "\(Scope(wanted)) asked for, \(Scope(target)) invalidated")
            }
        }
    }

    @Test func theIndexFindsExactlyTheInterestsThatAScopeTouches() throws {
        let targets = try SmallWorld.targets()
        let scopes = targets.map { Scope($0) }
        var dice = SeededGenerator(seed: 7)
        for _ in 0..<40 {
            var index = InterestIndex()
            var held: [Int: [Interest]] = [:]
            for slot in 0..<30 {
                let count = Int.random(in: 1...3, using: &dice)
                let wanted = (0..<count).compactMap { _ in
                    targets.randomElement(using: &dice)
                }
                held[slot] = wanted
                index.insert(wanted, slot)
                // Somebody leaves now and then.
                guard slot % 3 == 2, let gone = held.keys.sorted().randomElement(using: &dice)
                else { continue }
                index.remove(held[gone] ?? [], gone)
                held[gone] = nil
            }
            for scope in scopes {
                var found: [Int] = []
                index.touched(by: scope, into: &found)
                let touched = held.filter { $0.value.contains { $0.touches(scope) } }
                #expect(Set(found + index.everything) == Set(touched.keys), "\(scope)")
            }
            for (slot, wanted) in held { index.remove(wanted, slot) }
            #expect(isEmpty(index, scopes))
        }
    }

    private func isEmpty(_ index: InterestIndex, _ scopes: [Scope]) -> Bool {
        var found = index.everything
        for scope in scopes { index.touched(by: scope, into: &found) }
        return found.isEmpty
    }

    @Test func aTreeThatWasEmptiedHoldsOneNode() {
        var tree = PrefixTree()
        let names = ["a", "ab", "abc", "abd", "b", "", "abcdef"].map { Array($0.utf8) }
        for _ in 0..<3 {
            for (slot, name) in names.enumerated() { tree.insert(name, .prefix, slot) }
            let most = tree.nodes.count
            for (slot, name) in names.enumerated() { tree.remove(name, .prefix, slot) }
            #expect(tree.isEmpty)
            for (slot, name) in names.enumerated() { tree.insert(name, .key, slot) }
            #expect(tree.nodes.count == most)
            for (slot, name) in names.enumerated().reversed() { tree.remove(name, .key, slot) }
            #expect(tree.isEmpty)
        }
    }
}
