import Testing

@testable import CacheMemory

/// Room for things of all namespaces.
@Suite struct NamespaceSharesTests {
    @Test(arguments: 0...40)
    func eachNamespaceMayTakeHalfOfTheRemainingCapacity(countMax: Int) {
        var shares = NamespaceShares(countMax: countMax)
        var free = countMax
        for number in [NamespaceNumber(3), NamespaceNumber(0), NamespaceNumber(1_023)] {
            var taken = 0
            while shares.hasRoom(for: number) {
                shares.add(number)
                taken += 1
            }
            #expect(taken == (free + 1) / 2)
            free -= taken
            #expect(shares.count == countMax - free)
        }
    }

    @Test func whatIsGivenBackIsThereForEverybody() {
        let one = NamespaceNumber(0)
        let other = NamespaceNumber(1)
        var shares = NamespaceShares(countMax: 4)
        for _ in 0..<2 { shares.add(one) }
        shares.add(other)
        #expect(!shares.hasRoom(for: other) && !shares.hasRoom(for: one))
        shares.remove(one)
        #expect(shares.hasRoom(for: other) && shares.hasRoom(for: one))
        #expect(shares.count == 2)
    }
}
