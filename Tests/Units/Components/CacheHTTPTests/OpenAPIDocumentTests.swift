import CacheModel
import Testing

@testable import CacheHTTP

@Suite struct OpenAPIDocumentTests {
    private static func members(_ document: JSONDocument?) -> [String: JSONDocument] {
        guard case .members(let members)? = document else { return [:] }
        return Dictionary(uniqueKeysWithValues: zip(members.names, members.values))
    }

    @Test func itNamesTheRoutesOfTheCodeAndNoOthers() {
        let paths = Self.members(Self.members(OpenAPIDocument.document)["paths"])
        #expect(Set(paths.keys) == Set(ResourceShape.allCases.map(\.rawValue)))
        for shape in ResourceShape.allCases {
            let item = Self.members(paths[shape.rawValue])
            let others = Set(Self.members(item["additionalOperations"]).keys)
            let written = Set(item.keys).subtracting(["parameters", "additionalOperations"])
            let names = shape.methods.map { $0 == .purge ? "PURGE" : $0.rawValue.lowercased() }
            #expect(written.union(others) == Set(names), "\(shape.rawValue)")
            #expect(others.isSubset(of: ["PURGE"]))
        }
    }

    /// Whatever 3.1 has no place for is an extension there, and nothing else differs.
    @Test func theOlderDocumentHasNothingThat31DoesNotKnow() {
        let older = Self.members(OpenAPIDocument.older(OpenAPIDocument.document))
        #expect(older["openapi"] == .text("3.1.1"))
        let paths = Self.members(older["paths"])
        let item = Set(Self.members(paths[ResourceShape.entry.rawValue]).keys)
        #expect(item == ["parameters", "get", "head", "put", "delete", "x-additionalOperations"])
        let line = OpenAPIDocument.olderLine
        #expect(!line.contains("\"additionalOperations\"") && !line.contains("\"itemSchema\""))
        let back = line.replacing("\"x-itemSchema\"", with: "\"itemSchema\"")
            .replacing("\"x-additionalOperations\"", with: "\"additionalOperations\"")
            .replacing("3.1.1", with: "3.2.0")
        #expect(back == OpenAPIDocument.line)
    }

    @Test(arguments: [1, 9, 10, 42, 255, 1_000, 4_294_967_295, UInt64.max] as [UInt64])
    func aPatternForNumbersTakesThoseUpToTheGreatest(most: UInt64) throws {
        let pattern = try Regex(DecimalPattern.upTo(most))
        func isTaken(_ text: String) throws -> Bool { try pattern.wholeMatch(in: text) != nil }
        let (beyond, isTooLong) = most.addingReportingOverflow(1)
        #expect(try isTaken("\(most)"))
        #expect(try isTooLong || !isTaken("\(beyond)"))
        for text in ["0", "01", "\(most)0", "", "x", "-1"] {
            #expect(try !isTaken(text), "\(text)")
        }
        for number in [1, most / 2, most / 10, most - 1, most / 3 + 1] where number > 0 {
            #expect(try isTaken("\(number)"))
        }
        guard !isTooLong else { return }
        for number in beyond...(beyond + 99) { #expect(try !isTaken("\(number)")) }
    }

    /// The examples of fields are what their patterns and the gateway take.
    @Test func everyExampleMatchesItsPattern() throws {
        for shape in ResourceShape.allCases {
            for field in shape.methods.flatMap({ shape.operation($0).fields }) {
                guard let pattern = field.pattern, let example = field.example else { continue }
                let isMatch = try Regex(pattern).wholeMatch(in: example) != nil
                #expect(isMatch, "\(field.name): \(example)")
            }
        }
    }

    @Test func aValuesFieldsAreTakenAsTheirExamplesSay() throws {
        let operation = ResourceShape.entry.operation(.put)
        var fields = FieldList()
        for field in operation.fields { fields.append(field.name, field.example ?? "max-age=1") }
        let head = RequestHead("PUT", "/v1/n/k", fields)
        guard case .store(let order) = try GatewayOrder(head) else {
            Issue.record("no store")
            return
        }
        #expect(order.tags.map(\.bytes) == ["news", "front page"].map { Array($0.utf8) })
    }

    @Test func everyProblemThatThereIsCanComeFromSomewhere() {
        var known = Set(OpenAPIDocument.commonProblems)
        for shape in ResourceShape.allCases {
            for method in shape.methods { known.formUnion(shape.operation(method).problems) }
        }
        #expect(known == Set(ProblemKind.allCases))
    }

    @Test func everyReferenceLeadsSomewhere() {
        let line = OpenAPIDocument.document.line
        let names = Set(OpenAPIDocument.schemas.map(\.name))
        let parts = line.components(separatedBy: "#/components/schemas/").dropFirst()
        let wanted = Set(parts.map { String($0.prefix { $0 != "\"" }) })
        #expect(wanted == names)
    }

    @Test func itIsReadAsItIsWritten() throws {
        let line = OpenAPIDocument.document.line
        #expect(try JSONReader.read(Array(line.utf8)).line == line)
    }
}

extension String {
    /// Split at every place where `separator` stands.
    fileprivate func components(separatedBy separator: String) -> [Substring] {
        var parts: [Substring] = []
        var rest = self[...]
        while let range = rest.firstRange(of: separator) {
            parts.append(rest[..<range.lowerBound])
            rest = rest[range.upperBound...]
        }
        return parts + [rest]
    }
}
