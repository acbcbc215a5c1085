import Testing

/// How long a file, a line and a function may be, and how many parameters it may have.
@Suite struct MeasureTests {
    static let fileLinesMax = 500
    static let testFileLinesMax = 800
    /// The package manager reads one file alone.
    static let manifestLinesMax = 600
    static let columnsMax = 100
    static let functionLinesMax = 70
    static let parametersMax = 5

    /// Functions that somebody else's protocol asks for: swift-distributed-tracing's `Tracer`.
    static let foreignFunctions: Set<String> = [
        "Sources/Runtime/Telemetry/Spans/SpanTracer.swift startSpan",
        "Sources/Runtime/Telemetry/Spans/SpanTracer.swift startAnySpan",
        "Tests/Units/Runtime/MartletClientTests/Support/WordsTracer.swift startSpan",
        "Tests/Units/Runtime/MartletClientTests/Support/WordsTracer.swift startAnySpan",
    ]

    /// Initialisers that take more parameters because they are nothing but the list of a plain
    /// value's fields, each with its reason: `"Sources/…/Request.swift init": "reason"`.
    static let longInitialisers: [String: String] = [
        "Sources/Model/ByteCoding/CivilTime.swift init":
            "the numbers of a date and a time, each named at the call",
        "Sources/Components/CacheLoading/Seam/OriginRequest.swift init":
            "what one attempt needs, each named at the call",
        "Sources/Runtime/MartletClient/CacheError.swift init":
            "what an error may tell, most of it seldom, each named at the call",
        "Sources/Components/CacheWire/Welcome.swift init":
            "the fields of WELCOME, each named at the call",
    ]

    static func tooLong(_ file: SourceFile) -> [Violation] {
        let most =
            file.path == "Package.swift"
            ? manifestLinesMax : file.isTest ? testFileLinesMax : fileLinesMax
        if file.lineCount <= most { return [] }
        return [
            Violation(
                file, line: most + 1,
                "\(file.lineCount) lines, at most \(most): cut it by aspect (Type+Aspect.swift)")
        ]
    }

    static func tooWide(_ file: SourceFile) -> [Violation] {
        file.lines.enumerated().filter { $1.utf8.count > columnsMax && $1.count > columnsMax }.map {
            Violation(
                file, line: $0 + 1,
                "\($1.count) columns, at most \(columnsMax): swift format -i breaks code, "
                    + "comments are broken by hand")
        }
    }

    static func tooBig(_ file: SourceFile) -> [Violation] {
        file.functions.filter { $0.lineCount > functionLinesMax }.map {
            Violation(
                file, line: $0.line,
                "\($0.name) has \($0.lineCount) lines, at most \(functionLinesMax): "
                    + "name its parts and call them")
        }
    }

    static func tooManyParameters(_ file: SourceFile) -> [Violation] {
        file.functions.filter {
            $0.parameterCount > parametersMax
                && longInitialisers["\(file.path) \($0.name)"] == nil
                && !foreignFunctions.contains("\(file.path) \($0.name)")
        }.map {
            Violation(
                file, line: $0.line,
                "\($0.name) has \($0.parameterCount) parameters, at most \(parametersMax): join "
                    + "what belongs together in a type, or list a plain value's initialiser in "
                    + "MeasureTests.longInitialisers with its reason")
        }
    }

    @Test func noFileIsTooLong() {
        (House.files + [House.manifest]).flatMap(Self.tooLong).report()
    }

    @Test func noLineIsTooWide() {
        (House.files + [House.manifest]).flatMap(Self.tooWide).report()
    }

    @Test func noFunctionIsTooBig() {
        House.swiftFiles.flatMap(Self.tooBig).report()
    }

    @Test func noFunctionHasTooManyParameters() {
        House.swiftFiles.flatMap(Self.tooManyParameters).report()
    }

    @Test func everyExceptionIsNeededAndSaysWhy() {
        for (key, reason) in Self.longInitialisers {
            let isNeeded = House.swiftFiles.contains { file in
                key.hasPrefix(file.path + " ")
                    && file.functions.contains {
                        "\(file.path) \($0.name)" == key && $0.parameterCount > Self.parametersMax
                    }
            }
            #expect(isNeeded, "\(key): remove it from longInitialisers, nothing needs it")
            #expect(key.hasSuffix(" init") && reason.count > 10, "\(key): an init, with a sentence")
        }
    }

    // MARK: The rules can fail.

    @Test func aLongFileIsFound() {
        let lines = String(repeating: "a\n", count: 501)
        #expect(Self.tooLong(SourceFile("Sources/A/A.swift", lines)).map(\.line) == [501])
        #expect(Self.tooLong(SourceFile("Sources/A/A.swift", String(lines.dropLast(2)))) == [])
        #expect(Self.tooLong(SourceFile("Tests/A/A.swift", lines)) == [])
    }

    @Test func aWideLineIsFoundAndCountedInCharacters() {
        let wide = String(repeating: "ä", count: 101)
        let file = SourceFile("Sources/A/A.swift", "\n\(wide)\n\(wide.dropLast())")
        #expect(Self.tooWide(file).map(\.line) == [2])
    }

    @Test(arguments: ["func f(a: Int)", "init(a: Int)", "subscript(a: Int) -> Int", "deinit"])
    func aBigFunctionIsFound(head: String) {
        let body = String(repeating: "    if a { \"}\" }  // }\n", count: 69)
        let big = SourceFile("Sources/A/A.swift", "\n\(head) {\n\(body)}\n")
        #expect(Self.tooBig(big).map(\.line) == [2])
        let fair = SourceFile("Sources/A/A.swift", "\n\(head) {\n\(body.dropFirst(23))}\n")
        #expect(fair.functions.map(\.lineCount) == [70])
        #expect(Self.tooBig(fair) == [])
    }

    @Test func tooManyParametersAreFound() {
        let file = SourceFile(
            "Sources/A/A.swift",
            """
            protocol P {
                func five(a: Int, b: Int, c: Int, d: [Int: Int], e: Dictionary<Int, Int>)
                func six<T: P>(a: T, b: Int, c: (Int, Int) -> Void, d: Int, _ e: Int, f: Int)
            }
            extension P {
                static func == (left: Self, right: Self) -> Bool { self.init(a: 1) == .init(b: 2) }
                init?(a: Int, b: Int, c: Int, d: Int, e: Int, f: Int = 1) {
                    self.init(a: a, b: b, c: c, d: d, e: e, f: f, g: 0)
                }
            }
            """)
        #expect(file.functions.map(\.name) == ["five", "six", "==", "init"])
        #expect(file.functions.map(\.parameterCount) == [5, 6, 2, 6])
        #expect(file.functions.map(\.lineCount) == [1, 1, 1, 3])
        #expect(Self.tooManyParameters(file).map(\.line) == [3, 7])
    }
}
