import Foundation
import Logging
import Testing

@Suite struct JSONLineTests {
    @Test func aLineIsOneObjectWhateverIsInIt() throws {
        let catcher = LineCatcher()
        var logger = catcher.logger
        logger[metadataKey: "node"] = "n1"
        logger.warning(
            "a \"line\"\nwith \u{2028} \\ and é",
            metadata: [
                "role": "other", "count": .stringConvertible(3), "list": ["a", "b"],
                "members": ["x": "y"],
            ])
        let line = try #require(catcher.lines.first)
        #expect(catcher.lines.count == 1 && line.hasSuffix("}\n"))
        #expect(line.dropLast().allSatisfy { !$0.isNewline })
        let members = try #require(
            JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(members["message"] as? String == "a \"line\"\nwith \u{2028} \\ and é")
        #expect(members["level"] as? String == "warning" && members["role"] as? String == "test")
        #expect(members["role_"] as? String == "other" && members["node"] as? String == "n1")
        #expect(members["count"] as? Int == 3 && members["list"] as? [String] == ["a", "b"])
        #expect((members["members"] as? [String: String]) == ["x": "y"])
        let time = try #require(members["time"] as? String)
        #expect(time.count == 24 && time.hasSuffix("Z"))
    }

    @Test func whatIsBelowTheLevelIsNotWritten() {
        let catcher = LineCatcher()
        catcher.logger.debug("nothing")
        #expect(catcher.lines.isEmpty)
    }
}
