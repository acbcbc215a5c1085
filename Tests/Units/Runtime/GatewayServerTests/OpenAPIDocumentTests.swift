import ByteCoding
import CacheModel
import Testing

@testable import CacheHTTP
@testable import GatewayServer

/// `openapi.json` against the tables that requests are read by. Tests/Schema holds it against a
/// gateway that runs.
@Suite struct OpenAPIDocumentTests {
    private static func members(_ document: JSONDocument?) -> [String: JSONDocument] {
        guard case .members(let members)? = document else { return [:] }
        return Dictionary(uniqueKeysWithValues: zip(members.names, members.values))
    }

    private static func text(_ document: JSONDocument?) -> String? {
        if case .text(let text)? = document { text } else { nil }
    }

    private static let document = members(OpenAPIDocument.document)
    private static let paths = members(document["paths"])
    private static let components = members(document["components"])

    private static func schema(_ name: String) -> [String: JSONDocument] {
        members(members(components["schemas"])[name])
    }

    /// All objects of the document, each after those around it.
    private static func objects(in document: JSONDocument) -> [[String: JSONDocument]] {
        switch document {
        case .members(let members):
            [Self.members(document)] + members.values.flatMap(objects)
        case .list(let values): values.flatMap(objects)
        default: []
        }
    }

    private static let objects = objects(in: OpenAPIDocument.document)

    /// The schema of a parameter, wherever it is written.
    private static func pattern(_ field: String) -> String? {
        let schemas = objects.filter { text($0["name"]) == field && $0["in"] != nil }
            .map { members($0["schema"]) }
        return schemas.compactMap { text($0["pattern"]) }.first
    }

    @Test func itNamesTheRoutesOfTheCodeAndNoOthers() {
        #expect(Set(Self.paths.keys) == Set(ResourceShape.allCases.map(\.rawValue)))
        for shape in ResourceShape.allCases {
            let item = Self.members(Self.paths[shape.rawValue])
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

    /// The examples of fields are what their patterns take.
    @Test func everyExampleMatchesItsPattern() throws {
        var count = 0
        for field in Self.objects {
            guard let example = Self.text(field["example"]),
                let pattern = Self.text(Self.members(field["schema"])["pattern"])
            else { continue }
            count += 1
            let isMatch = try Regex(pattern).wholeMatch(in: example) != nil
            #expect(isMatch, "\(Self.text(field["name"]) ?? ""): \(example)")
        }
        #expect(count > 15)
    }

    @Test func aValuesFieldsAreReadAsTheirExamplesSay() throws {
        let put = Self.members(Self.members(Self.paths[ResourceShape.entry.rawValue])["put"])
        guard case .list(let parameters)? = put["parameters"] else {
            Issue.record("a PUT has fields")
            return
        }
        var fields = FieldList()
        for parameter in parameters.map(Self.resolved) {
            guard let name = Self.text(parameter["name"]) else { continue }
            fields.append(name, Self.text(parameter["example"]) ?? "max-age=1")
        }
        let head = RequestHead("PUT", "/v1/n/k", fields)
        guard case .store(let order) = try GatewayOrder(head) else {
            Issue.record("no store")
            return
        }
        #expect(order.tags.map(\.bytes) == ["news", "front page"].map { Array($0.utf8) })
    }

    private static func resolved(_ document: JSONDocument) -> [String: JSONDocument] {
        let object = members(document)
        guard let path = text(object["$ref"]) else { return object }
        return path.split(separator: "/").dropFirst().reduce(self.document) {
            members($0[String($1)])
        }
    }

    /// Under the status that it is answered with.
    @Test func everyProblemThatThereIsCanComeFromSomewhere() {
        var found: Set<String> = []
        for responses in Self.objects.map({ Self.members($0["responses"]) }) {
            for (status, response) in responses {
                let description = Self.text(Self.resolved(response)["description"]) ?? ""
                for kind in ProblemKind.allCases
                where description.contains("\(Problem.typePrefix)\(kind.rawValue): \(kind.title).")
                    && status == "\(kind.status)"
                {
                    found.insert(kind.rawValue)
                }
            }
        }
        #expect(found == Set(ProblemKind.allCases.map(\.rawValue)))
        let named = OpenAPIDocument.line.components(separatedBy: Problem.typePrefix).dropFirst()
            .map { String($0.prefix { $0 != ":" && $0 != "\"" }) }
        #expect(Set(named).subtracting(found) == [])
    }

    @Test func everyReferenceLeadsSomewhereAndEveryComponentIsUsed() {
        let line = OpenAPIDocument.document.line
        let parts = line.components(separatedBy: "#/components/").dropFirst()
        let wanted = Set(parts.map { String($0.prefix { $0 != "\"" }) })
        var names: Set<String> = []
        for kind in ["schemas", "parameters", "responses"] {
            for name in Self.members(Self.components[kind]).keys { names.insert("\(kind)/\(name)") }
        }
        #expect(wanted == names)
    }

    /// The document is written by hand, and limits are the code's.
    @Test func itsLimitsAreThoseOfTheCode() throws {
        let key = Self.members(
            Self.members(Self.members(Self.components["parameters"])["Key"])["schema"])
        #expect(key["maxLength"] == .integer(CacheKey.bytesMax))
        #expect(Self.pattern("namespace")?.contains("{1,\(Namespace.bytesMax)}") == true)
        #expect(Self.pattern(LoadRight.field)?.contains("{1,\(LoadRight.textBytesMax)}") == true)
        #expect(Self.pattern("ETag")?.contains("{0,\(Validator.bytesMax - 2)}") == true)
        let representation = Self.pattern(RepresentationText.encodingField)
        #expect(representation?.contains("{0,\(RepresentationField.bytesMax - 2)}") == true)
        for (name, bytesMax) in [("Key", CacheKey.bytesMax), ("Tag", Tag.bytesMax)] {
            let schema = OpenAPIDocument.document.line
            #expect(schema.contains("\"maxLength\":\(bytesMax)"), "\(name)")
            #expect(!Self.schema(name).isEmpty)
        }
        let lists = Self.objects.compactMap { $0["maxItems"] }
        for most in [BatchOrder.keysMax, Tag.perEntryMax, InvalidationRecord.scopesMax] {
            #expect(lists.contains(.integer(most)))
        }
        let tagBounds = "At most \(Tag.perEntryMax), of \(Tag.bytesMax) bytes each."
        #expect(OpenAPIDocument.line.contains(tagBounds))
        #expect(OpenAPIDocument.line.contains("up to \(BatchOrder.keysMax) keys at once"))
    }

    @Test(arguments: [
        (StoreOrder.lifetimeField, StoreOrder.lifetimeMillisecondsMax),
        (StoreOrder.versionField, UInt64.max),
    ])
    func aNumberMayBeUpToTheGreatestThatTheCodeReads(field: String, most: UInt64) throws {
        let pattern = try Regex(#require(Self.pattern(field)))
        func isTaken(_ text: String) throws -> Bool { try pattern.wholeMatch(in: text) != nil }
        for number in [1, 9, 10, most / 10, most / 3 + 1, most - 1, most] {
            #expect(try isTaken("\(number)"), "\(number)")
        }
        let (beyond, isTooLong) = most.addingReportingOverflow(1)
        #expect(try isTooLong || !isTaken("\(beyond)"))
        for text in ["0", "01", "\(most)0", "", "x", "-1"] {
            #expect(try !isTaken(text), "\(text)")
        }
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
