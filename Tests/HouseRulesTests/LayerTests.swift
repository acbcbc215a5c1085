import Testing

/// Imports, folders and the manifest against `House.modules`.
@Suite struct LayerTests {
    /// Imports that the plan does not allow to the module of `file`.
    static func strangers(in file: SourceFile) -> [Violation] {
        guard let module = House.modules[file.module] else {
            return [Violation(file, line: 1, "\(file.module) is not in House.modules: add it")]
        }
        var allowed = module.mayImport.union([file.module])
        allowed.formUnion(House.exported[file.module] ?? [])
        if !module.layer.isSansIO { allowed.formUnion(House.systemModules) }
        return file.imports.filter { !allowed.contains($0.module) }.map {
            Violation(
                file, line: $0.line,
                "\(file.module) may not import \($0.module): move the code to a layer that may, "
                    + "or add it to Package.swift, House.modules and a decision record")
        }
    }

    /// Dependencies of the manifest that `House.modules` does not have, and the other way round.
    static func differences(in file: SourceFile) -> [Violation] {
        Manifest(file).targets.filter { !$0.isTest }.flatMap { target -> [Violation] in
            guard let planned = House.modules[target.name]?.mayImport else {
                return [Violation(file, line: target.line, "\(target.name): add to House.modules")]
            }
            let surplus = target.dependencies.subtracting(planned).sorted().map {
                "\(target.name) depends on \($0) but House.modules does not let it: "
                    + "a new dependency needs a decision record and a line there"
            }
            let missing = planned.subtracting(target.dependencies).sorted().map {
                "\(target.name) may import \($0) but does not depend on it: "
                    + "remove it from House.modules or add it here"
            }
            return (surplus + missing).map { Violation(file, line: target.line, $0) }
        }
    }

    /// Libraries without a trait, which every package that depends on this one resolves: a client
    /// needs tracing alone (docs/decisions/0078). Those of tests are not resolved by others.
    static func libraries(withoutTraitIn file: SourceFile) -> [Violation] {
        let allowed: Set = ["Tracing", "InMemoryTracing", "Subprocess"]
        return file.tokens.indices.dropFirst().compactMap { index in
            guard file.tokens[index].isWord("library"), file.tokens[index + 1].isMark("("),
                file.tokens[index + 2].kind == .text
            else { return nil }
            let name = file.tokens[index + 2].text
            let arguments = file.tokens[index + 1..<file.closing(index + 1)]
            let hasTrait = arguments.contains { $0.text.hasPrefix("with") }
            guard !hasTrait, !allowed.contains(name) else { return nil }
            return Violation(
                file, line: file.tokens[index].line,
                "\(name) has no trait: every user of the client would resolve it")
        }
    }

    /// Dependencies on a higher layer, on the same one up to the cores, or on what stands below in
    /// the file. The simulation joins the cores, and so depends on modules of its own layer.
    static func upward(in file: SourceFile) -> [Violation] {
        let targets = Manifest(file).targets.filter { !$0.isTest }
        let names = targets.map(\.name)
        return targets.enumerated().flatMap { place, target in
            target.dependencies.sorted().compactMap { name -> Violation? in
                guard let other = names.firstIndex(of: name),
                    let from = House.modules[target.name]?.layer,
                    let to = House.modules[name]?.layer
                else { return nil }
                let mayBeSame = !from.isSansIO || target.name == "CacheSimulation"
                let isDownward = mayBeSame ? to <= from : to < from
                if isDownward && other < place { return nil }
                let side = isDownward ? "below it in this file" : "beside or above it"
                return Violation(
                    file, line: target.line,
                    "\(target.name) depends on \(name), which stands \(side): "
                        + "let a higher layer join them")
            }
        }
    }

    /// C modules that another module than their wrapper imports.
    static func nakedC(in file: SourceFile) -> [Violation] {
        file.imports.compactMap { name, line in
            guard House.modules[name]?.layer == .c else { return nil }
            let wrappers = House.mayImportC(name)
            if wrappers.contains(file.module) { return nil }
            return Violation(
                file, line: line,
                "\(name) is imported only by \(wrappers.sorted().joined(separator: ", ")): "
                    + "use what they offer")
        }
    }

    /// Modules of ours that TestSupport imports: a change of one would rebuild all tests.
    static func dependencies(ofTestSupport file: SourceFile) -> [Violation] {
        file.imports.filter { House.modules[$0.module] != nil }.map {
            Violation(
                file, line: $0.line,
                "TestSupport may not import \($0.module): keep the code with the tests of a module")
        }
    }

    @Test(arguments: House.modules.keys.sorted())
    func aModuleImportsOnlyLowerLayers(module: String) {
        House.sourcesByModule[module, default: []].flatMap(Self.strangers).report()
    }

    @Test(arguments: House.Layer.allCases)
    func theFolderOfALayerHasItsModulesAndNoOthers(layer: House.Layer) {
        let planned = House.modules.filter { $0.value.layer == layer }.keys.sorted()
        #expect(!planned.isEmpty)
        #expect(House.entries(of: "Sources/\(layer.rawValue)") == planned)
    }

    @Test func everyFolderInSourcesIsALayer() {
        let layers = House.Layer.allCases.map(\.rawValue).sorted()
        #expect(House.entries(of: "Sources") == layers)
    }

    /// So a module's tests are found where the module is.
    @Test func theTestsOfAModuleAreInTheFolderOfItsLayer() {
        let layers = House.Layer.allCases.map(\.rawValue)
        #expect(Set(House.entries(of: "Tests/Units")).subtracting(layers) == [])
        let misplaced = layers.flatMap { layer in
            House.entries(of: "Tests/Units/\(layer)").filter { tests in
                guard let module = House.modules[String(tests.dropLast("Tests".count))] else {
                    return false
                }
                return module.layer.rawValue != layer
            }
        }
        #expect(misplaced == [])
    }

    @Test func theManifestHasTheDependenciesOfThePlan() {
        let targets = Manifest(House.manifest).targets.filter { !$0.isTest }
        #expect(Set(targets.map(\.name)) == Set(House.modules.keys))
        Self.differences(in: House.manifest).report()
    }

    @Test func aClientResolvesNothingButTracing() {
        #expect(House.manifest.text.contains("library(\"Tracing\""))
        Self.libraries(withoutTraitIn: House.manifest).report()
    }

    @Test func everyDependencyIsOnALowerLayer() {
        Self.upward(in: House.manifest).report()
    }

    @Test func testSupportImportsNoModuleOfOurs() {
        let files = House.tests.filter { $0.module == "TestSupport" }
        #expect(!files.isEmpty, "Tests/TestSupport was not found")
        files.flatMap(Self.dependencies(ofTestSupport:)).report()
        let text = "import Foundation\npackage import CacheModel"
        let file = SourceFile("Tests/TestSupport/A.swift", text)
        #expect(Self.dependencies(ofTestSupport: file).map(\.line) == [2])
    }

    @Test func aCModuleIsImportedOnlyByItsWrapper() {
        House.sources.flatMap(Self.nakedC).report()
    }

    // MARK: The rules can fail.

    @Test func anImportOfAStrangerIsFound() {
        let file = SourceFile(
            "Sources/Model/CacheModel/A.swift",
            """
            // import Glibc
            public import Foundation
            internal import struct CacheWire.Request
            """)
        let found = Self.strangers(in: file)
        #expect(found.map(\.line) == [2, 3])
        #expect(found.first?.description.hasPrefix("Sources/Model/CacheModel/A.swift:2: ") == true)
        let system = "import Dispatch\nimport Glibc"
        #expect(
            Self.strangers(in: SourceFile("Sources/Runtime/CacheServer/A.swift", system))
                .map(\.line) == [2])
        #expect(Self.strangers(in: SourceFile("Sources/C/LibC/A.swift", system)) == [])
        #expect(Self.strangers(in: SourceFile("Sources/Cores/Attic/A.swift", "")).count == 1)
    }

    @Test func aCModuleWithoutItsWrapperIsFound() {
        let text = "import CZeroMQ\nimport CPlatform\nimport CMemory"
        #expect(
            Self.nakedC(in: SourceFile("Sources/Runtime/ZeroMQ/A.swift", text)).map(\.line) == [3])
        #expect(
            Self.nakedC(in: SourceFile("Sources/Runtime/Threading/A.swift", text)).map(\.line) == [
                1, 3,
            ])
        #expect(Self.nakedC(in: SourceFile("Sources/Runtime/CacheServer/A.swift", text)).count == 3)
        #expect(Self.nakedC(in: SourceFile("Sources/Model/CacheModel/A.swift", text)).count == 3)
        let libcrypto = "import CLibcrypto"
        #expect(
            Self.nakedC(in: SourceFile("Sources/Runtime/Cryptography/A.swift", libcrypto)) == [])
        let gateway = SourceFile("Sources/Runtime/GatewayServer/A.swift", libcrypto)
        #expect(Self.nakedC(in: gateway).map(\.line) == [1])
        let libyaml = "import CLibyaml"
        let configuration = SourceFile("Sources/Runtime/CacheConfiguration/A.swift", libyaml)
        #expect(Self.nakedC(in: configuration) == [])
        let server = SourceFile("Sources/Runtime/CacheServer/A.swift", libyaml)
        #expect(Self.nakedC(in: server).map(\.line) == [1])
    }

    /// All of Foundation brings 34 MB of ICU's data into the program: docs/decisions/0082.
    static func wholeFoundation(in file: SourceFile) -> [Violation] {
        let fallback = ["@_exported public import FoundationEssentials", "#else"]
        return file.lines.indices.compactMap { index in
            guard file.lines[index].hasSuffix("import Foundation") else { return nil }
            let before = file.lines[max(0, index - 2)..<index].map { $0.drop { $0 == " " } }
            if before.map(String.init) == fallback { return nil }
            return Violation(
                file, line: index + 1,
                "all of Foundation: import EssentialFoundation")
        }
    }

    @Test func nothingShippedImportsAllOfFoundation() {
        House.sources.flatMap(Self.wholeFoundation).report()
    }

    @Test func allOfFoundationIsFound() {
        let bare = SourceFile(
            "Sources/Programs/martlet/A.swift", "import CacheModel\nimport Foundation")
        #expect(Self.wholeFoundation(in: bare).map(\.line) == [2])
        let guarded = """
            #if canImport(FoundationEssentials)
                @_exported public import FoundationEssentials
            #else
                @_exported public import Foundation
            #endif
            """
        let file = SourceFile("Sources/C/EssentialFoundation/A.swift", guarded)
        #expect(Self.wholeFoundation(in: file) == [])
    }

    @Test func aLibraryWithoutATraitIsFound() {
        let file = SourceFile(
            "Package.swift",
            """
            let deque = library("DequeModule", "swift-collections")
            let tracing = library("Tracing", "swift-distributed-tracing")
            let heap = library("HeapModule", "swift-collections", withServers)
            let p = [.library(name: "MartletClient", targets: [])]
            """)
        #expect(Self.libraries(withoutTraitIn: file).map(\.line) == [1])
    }

    @Test func aNewDependencyInTheManifestIsFound() {
        let file = SourceFile(
            "Package.swift",
            """
            let deque = library("DequeModule", "swift-collections")
            .module(.model, name: "CacheModel", dependencies: ["ByteCoding"]),
            .module(.model, name: "ByteCoding", dependencies: ["CChecksum"]),
            .module(
                .components, name: "CacheInvalidation",
                dependencies: [
                    "CacheModel", deque,
                ]),
            .unitTests(.model, name: "CacheModelTests", dependencies: ["CacheServer"]),
            """)
        let targets = Manifest(file).targets
        #expect(
            targets.map(\.name) == [
                "CacheModel", "ByteCoding", "CacheInvalidation", "CacheModelTests",
            ])
        #expect(targets[2].dependencies == ["CacheModel", "DequeModule"])
        #expect(Self.differences(in: file).map(\.line) == [2, 4])
        #expect(Self.upward(in: file).map(\.line) == [2])
    }
}
