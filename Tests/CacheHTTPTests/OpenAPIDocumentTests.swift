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
            let written = Set(Self.members(paths[shape.rawValue]).keys).subtracting(["parameters"])
            let names = shape.methods.map { $0 == .purge ? "x-purge" : $0.rawValue.lowercased() }
            #expect(written == Set(names), "\(shape.rawValue)")
        }
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
