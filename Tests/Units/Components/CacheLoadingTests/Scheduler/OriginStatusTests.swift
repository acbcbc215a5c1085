import CacheModel
import CacheLoading
import Testing

@Suite struct OriginStatusTests {
    static let special: [Int: OriginStatus] = [
        408: .untimely, 425: .untimely, 429: .crowded, 503: .overloaded, 504: .overloaded,
    ]

    @Test func everyStatusIsSorted() {
        for status in -1...1_000 {
            let expected =
                Self.special[status] ?? ((500...599).contains(status) ? .failing : .settled)
            #expect(OriginStatus(status) == expected)
        }
    }

    @Test(arguments: OriginStatus.allCases)
    func onlyWhatIsWorthAnotherSaysAnythingElse(status: OriginStatus) {
        #expect(status.isWorthAnother == (status != .settled))
        #expect(status.isWorthAnother || !status.isCongestion)
        #expect(status.isWorthAnother || !status.isFailure)
    }
}
