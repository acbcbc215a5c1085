import CacheModel
import CommandSurface
import Testing

@testable import MartletClient
@testable import martlet

@Suite struct SetReportTests {
    private func output(
        _ outcome: Result<StoreResult, CacheError>, _ style: OutputStyle = .plain
    ) throws -> CommandOutput {
        SetReport(key: try Sample.key("a"), outcome: outcome, endpoints: []).output(style)
    }

    private func result(isFenced: Bool) throws -> StoreResult {
        let nodes = [try Sample.node("n1"), try Sample.node("n2")]
        return StoreResult(
            position: Sample.position(17), isFenced: isFenced, node: nodes[0], storedOn: nodes)
    }

    @Test func aStoreSaysWhereAndWhetherItIsFenced() throws {
        let fenced = try output(.success(try result(isFenced: true)))
        #expect(fenced == CommandOutput(bytes: Array("stored at 1:17 on n1, n2\n".utf8)))
        let blind = try output(.success(try result(isFenced: false)))
        #expect(blind.text.hasPrefix("stored at 1:17 on n1, n2 (unfenced: nothing proves"))
        #expect(blind.status == .done)
    }

    @Test func aRefusalEndsWithItsSentence() throws {
        let error = CacheError(.refused, "n1 refused: a newer version is stored")
        let output = try output(.failure(error))
        #expect(output.bytes.isEmpty)
        #expect(output.complaints == ["did not store a: n1 refused: a newer version is stored"])
        #expect(output.status == .refused)
    }

    @Test func whatMayHaveBeenStoredIsNotCalledUnstored() throws {
        let error = CacheError(.timedOut, "no answer came", mayHaveHappened: true)
        #expect(
            try output(.failure(error)).complaints.first?.hasPrefix("no answer about a: ") == true)
        #expect(try output(.failure(error), .json).text.hasPrefix(#"{"stored":null,"#))
    }

    @Test func jsonHasEveryFieldInItsOrder() throws {
        #expect(
            try output(.success(try result(isFenced: false)), .json).text == """
                {"stored":true,"fenced":false,"position":"1:17","node":"n1",\
                "stored_on":["n1","n2"]}

                """)
        let refused = try output(.failure(CacheError(.refused, "no")), .json)
        #expect(
            refused.text == """
                {"stored":false,"fenced":null,"position":null,"node":null,"stored_on":[],\
                "error":"refused: no"}

                """)
        #expect(refused.status == .refused)
    }
}
