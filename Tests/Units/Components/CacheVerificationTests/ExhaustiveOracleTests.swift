import CacheModel
import CacheVerification
import Testing

/// Everything that a small cluster may do, in every order: a right one is never accused, and each
/// of several wrong ones is found.
@Suite struct ExhaustiveOracleTests {
    @Test func aClusterThatKeepsItsPromisesIsNeverAccused() {
        let ofOneKey = TinyWalk(.none, keyCount: 1, changes: 2, invalidations: 2, gets: 2)
        #expect(ofOneKey.violations.isEmpty)
        #expect(ofOneKey.momentCount > 10_000 && ofOneKey.judgedCount > 2_000)
        let ofTwoKeys = TinyWalk(.none, keyCount: 2, changes: 1, invalidations: 1, gets: 2)
        #expect(ofTwoKeys.violations.isEmpty)
    }

    @Test(arguments: [
        (TinyCluster.Fault.ignoresAnInvalidation, WrongAnswer.Kind.olderThanPromised),
        (.takesLateFills, .olderThanPromised),
        (.receiptTooEarly, .olderThanPromised),
        (.servesAnotherKey, .bytesOfAnotherKey),
        (.damagesValues, .damagedBytes),
        (.servesTheFuture, .fromTheFuture),
    ])
    func eachWrongClusterIsFound(_ fault: TinyCluster.Fault, _ kind: WrongAnswer.Kind) {
        let keyCount = fault == .servesAnotherKey ? 2 : 1
        let walk = TinyWalk(fault, keyCount: keyCount, changes: 1, invalidations: 1, gets: 2)
        #expect(walk.violations == [kind])
    }
}
