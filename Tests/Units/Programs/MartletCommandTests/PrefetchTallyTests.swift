import CacheModel
import CommandSurface
import Testing

@testable import MartletClient
@testable import martlet

/// What a prefetch has come to, and how it goes on.
@Suite struct PrefetchTallyTests {
    private func tally(
        _ results: [(Int, Result<PrefetchOutcome, CacheError>)], skip: Int = 0
    ) throws -> PrefetchTally {
        var tally = PrefetchTally(namespace: .default, skip: skip)
        for (number, result) in results {
            try tally.add(
                PrefetchRun.Item(number: number, key: try Sample.key("k\(number)")), result)
        }
        return tally
    }

    private func failed(_ failure: LoadFailure) -> Result<PrefetchOutcome, CacheError> {
        .failure(CacheError(.loadFailed, "node n1: it failed", loadFailure: failure))
    }

    @Test func everythingDoneIsOneLine() throws {
        let tally = try tally([
            (1, .success(.loaded)), (2, .success(.fresh)), (3, .success(.absent)),
            (4, .success(.loaded)), (5, .success(.notKept)),
        ])
        let output = tally.output(.plain)
        #expect(output.text == "5 keys: 2 loaded, 1 fresh, 1 absent, 1 not kept\n")
        #expect(output.complaints == [] && output.status == .done)
    }

    @Test func failuresAreToldByTheirCause() throws {
        let tally = try tally([
            (1, .success(.loaded)), (2, failed(.refused)), (3, failed(.refused)),
            (4, failed(.tooLarge)),
        ])
        let output = tally.output(.plain)
        #expect(output.text == "4 keys: 1 loaded, 0 fresh, 0 absent, 3 failed\n")
        #expect(output.complaints.count == 2)
        #expect(output.complaints[0].hasPrefix("k2 and 1 more: its origin refused"))
        #expect(output.status == .incomplete)
    }

    @Test func whereNothingWasDoneTheCauseDecides() throws {
        let tally = try tally([(1, failed(.unreachable))])
        #expect(tally.output(.plain).status == .unreachable)
    }

    /// Up to where every line is done, although they end in no order.
    @Test func itGoesOnBehindWhatIsDoneWithoutAHole() throws {
        var tally = try tally(
            [
                (12, .success(.loaded)), (11, .success(.loaded)), (14, .success(.fresh)),
                (15, failed(.refused)),
            ], skip: 10)
        #expect(tally.doneUpTo == 12)
        tally.isStopped = true
        let output = tally.output(.plain)
        #expect(
            output.complaints.suffix(2)
                == ["stopped", "--skip 12 continues after the completed lines"])
        #expect(output.status == .incomplete)
    }

    @Test func whatIsTheSameForEveryKeyEndsAll() throws {
        let noOrigin = #expect(throws: CommandFailure.self) {
            _ = try tally([(1, failed(.noOrigin))])
        }
        #expect(noOrigin?.sentence.contains("has no origin") == true)
        #expect(noOrigin?.status == .refused)
        let older = #expect(throws: CommandFailure.self) {
            _ = try tally([
                (1, .failure(CacheError(.refused, "an option of GET is not known")))
            ])
        }
        #expect(older?.sentence.contains("update every node") == true)
    }

    @Test func twentyFailuresInARowAreEnough() throws {
        let twenty = (1...20).map { ($0, failed(.broken)) }
        let given = #expect(throws: CommandFailure.self) { _ = try tally(twenty) }
        #expect(given?.sentence.contains("20 keys failed one after the other") == true)
        var mixed = twenty
        mixed[10].1 = .success(.loaded)
        #expect(throws: Never.self) { _ = try tally(mixed) }
    }

    @Test func scriptsGetFigures() throws {
        var tally = try tally([(1, .success(.loaded)), (2, failed(.tooLarge))])
        tally.end(CommandFailure(.refused, "the command ended with 1"))
        let output = tally.output(.json)
        #expect(
            output.text == """
                {"keys":2,"loaded":1,"fresh":0,"absent":0,"not_kept":0,"failed":1,\
                "failures":[{"cause":"its value is longer than the namespace's value-max",\
                "keys":1,"first":"k2"}],"stopped":true,"skip":2}

                """)
        #expect(output.complaints.contains("the command ended with 1"))
        #expect(output.status == .refused)
    }
}
