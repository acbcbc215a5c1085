import CacheModel
import Testing

@testable import martlet_simulate

/// All mutants are run by `martlet-simulate --mutants`.
@Suite struct MutantTests {
    @Test func everyGuardHasItsMutant() {
        #expect(Mutant.all.map(\.missing) == ProtocolGuard.allCases)
    }

    #if MARTLET_MUTANTS
        @Test func aMutantIsKilledOrFails() async throws {
            let mutants = [Mutant(.joiners, within: 2), Mutant(.renewalTags, within: 2)]
            let checks = try await MutantPlan(mutants: mutants).run().checks
            #expect(checks.map(\.name).prefix(2) == ["joiners", "renewal-tags"])
            #expect(checks[0].isPassed && checks[0].sentence.hasPrefix("seed 1: "))
            #expect(!checks[1].isPassed && checks[1].sentence == "survives seeds 1 to 2")
            #expect(checks.count == ProtocolGuard.allCases.count)
            #expect(checks.dropFirst(2).allSatisfy { $0.sentence.hasPrefix("no mutant") })
        }
    #endif
}
