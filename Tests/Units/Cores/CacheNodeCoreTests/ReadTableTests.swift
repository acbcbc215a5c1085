import CacheModel
import Testing

/// What the documentation says a reader gets is what a shard does.
@Suite struct ReadTableTests {
    @Test func theDocumentNamesEveryCombinationOnce() {
        let named = ReadTable.rows.map { "\($0.policy) \($0.held)" }
        let all = ReadPolicy.allCases.flatMap { policy in
            ReadTable.Held.allCases.map { "\(policy) \($0)" }
        }
        #expect(named.sorted() == all.sorted())
    }

    @Test(arguments: ReadTable.rows)
    func aReaderGetsWhatTheDocumentSays(row: ReadTable.Row) {
        for (origin, said) in zip(ReadTable.Origin.allCases, row.cells) {
            let played = ReadTable.play(row.policy, row.held, origin)
            #expect(played == said, "\(row.policy.rawValue), \(row.held.rawValue), \(origin)")
        }
    }
}
