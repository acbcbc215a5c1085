import CacheModel
import Testing

/// Numbers that travel or are written down: a change here breaks peers and files.
@Suite struct StableNumbersTests {
    @Test func theCausesOfARefusedStoreKeepTheirNumbers() {
        let numbers: [StoreRefusal: UInt8] = [
            .invalidatedMeanwhile: 1, .leaseVoid: 2, .olderVersion: 3, .tooLarge: 4, .blind: 5,
            .tokenTooOld: 6, .behind: 7, .publisherUnreachable: 8, .outOfRange: 9, .absent: 10,
            .uploadIncomplete: 11, .draining: 12, .changed: 13, .originRefused: 14,
            .originUnanswered: 15, .queueUnusable: 16, .full: 17, .unconfigured: 18, .moved: 19,
        ]
        #expect(numbers.count == StoreRefusal.allCases.count)
        for refusal in StoreRefusal.allCases {
            #expect(refusal.rawValue == numbers[refusal], "\(refusal)")
        }
    }

    @Test func everyRefusalHasASentenceOfItsOwn() {
        let sentences = Set(StoreRefusal.allCases.map(\.sentence))
        #expect(sentences.count == StoreRefusal.allCases.count)
        #expect(!sentences.contains(""))
    }

    @Test func theCausesOfARemovalKeepTheirNumbers() {
        let numbers: [(RemovalCause, UInt8, String)] = [
            (.evicted, 0, "evicted"), (.expired, 1, "expired"), (.invalidated, 2, "invalidated"),
            (.replaced, 3, "replaced"), (.forgotten, 4, "forgotten"),
        ]
        #expect(numbers.map(\.0) == RemovalCause.allCases)
        for (cause, number, name) in numbers {
            #expect(cause.rawValue == number)
            #expect(cause.description == name)
        }
    }

    @Test func theStatesOfANodeKeepTheirNumbers() {
        let numbers: [(NodeState, UInt8, String)] = [
            (.starting, 0, "STARTING"), (.recovering, 1, "RECOVERING"), (.syncing, 2, "SYNCING"),
            (.live, 3, "LIVE"), (.catchingUp, 4, "CATCHING UP"), (.suspect, 5, "SUSPECT"),
            (.draining, 6, "DRAINING"),
        ]
        #expect(numbers.map(\.0) == NodeState.allCases)
        for (state, number, name) in numbers {
            #expect(state.rawValue == number)
            #expect(state.description == name)
        }
    }

    @Test func threeStatesHaveALease() {
        let holders = NodeState.allCases.filter(\.hasLease)
        #expect(holders == [.live, .catchingUp, .draining])
    }

    @Test func theStrengthsKeepTheirNumbers() {
        #expect(InvalidationRecord.Strength.allCases.map(\.rawValue) == [0, 1])
        #expect(InvalidationRecord.Strength.hard.rawValue == 0)
        #expect(InvalidationRecord.scopesMax == 1_000)
        #expect(InvalidationRecord.bytesMax == 65_536)
    }

    @Test func thePoliciesKeepTheirWords() {
        #expect(
            NamespacePolicy.Suspect.allCases.map(\.rawValue) == [
                "serve", "refuse", "revalidate", "serve-then-revalidate",
            ])
        #expect(
            NamespacePolicy.BlindSet.allCases.map(\.rawValue) == ["allow", "hold-off", "reject"])
    }

    @Test func anEmptyLogHasTheDigestOfItsID() {
        let log = LogID(0x0123_4567_89AB_CDEF)
        #expect(LogDigest(startOf: log).rawValue == log.rawValue)
        #expect(log.description == "123456789abcdef")
        #expect(LogMark.none == LogMark(position: .none, digest: LogDigest(0)))
    }
}
