import CacheModel
import Testing

@Suite struct GuardsTests {
    @Test func everyGuardIsOnUnlessItIsSwitchedOff() {
        #expect(ProtocolGuard.allCases.allSatisfy(Guards.all.isOn))
        #expect(Guards(without: []) == .all)
    }

    #if MARTLET_MUTANTS
        @Test(arguments: ProtocolGuard.allCases)
        func aGuardThatIsSwitchedOffIsTheOnlyOneOff(off: ProtocolGuard) throws {
            let guards = try #require(Guards(without: [off]))
            #expect(ProtocolGuard.allCases.filter { !guards.isOn($0) } == [off])
        }

        @Test func thereIsABitForEachGuard() {
            #expect(ProtocolGuard.allCases.count <= UInt128.bitWidth)
        }
    #endif
}
