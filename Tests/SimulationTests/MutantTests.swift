#if MARTLET_MUTANTS
    import CacheModel
    import CacheSimulation
    import Testing

    /// That the simulation can fail, and does, for every guard that the protocol rests on.
    @Suite(.serialized) struct MutantTests {
        @Test func everyGuardHasItsMutant() {
            #expect(Mutant.all.map(\.missing) == ProtocolGuard.allCases)
        }

        @Test func everyMutantIsKilled() throws {
            var survivors: [String] = []
            for mutant in Mutant.all {
                let guards = try #require(Guards(without: [mutant.missing]))
                let killer = (mutant.from..<mutant.from + mutant.count).lazy
                    .map { Simulation.run(seed: $0, guards: guards) }
                    .first { $0.violation != nil }
                guard let killer, let sentence = killer.violation else {
                    survivors.append(mutant.missing.rawValue)
                    continue
                }
                print("    \(mutant.missing.rawValue): seed \(killer.seed): \(sentence)")
                let original = Simulation.run(seed: killer.seed)
                #expect(
                    original.violation == nil,
                    "seed \(killer.seed) is not silent with every guard on: \(original.report)")
            }
            let killedCount = Mutant.all.count - survivors.count
            print("mutants killed: \(killedCount) of \(Mutant.all.count)")
            #expect(survivors == [], "nothing misses these guards within their seeds")
        }
    }
#endif
