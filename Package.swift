// swift-tools-version: 6.2
// The floor plan: a target may depend only on targets above it in this file (lower floors).
// See docs/architecture.md. A new arrow between two targets needs a decision record.

import PackageDescription

// Structures check themselves, and guards can be switched off (docs/decisions/0020): in debug
// builds, and where MARTLET_CHECKED is set. Nothing that is shipped is built with it.
let checked: BuildSettingCondition? =
    Context.environment["MARTLET_CHECKED"] == nil ? .when(configuration: .debug) : nil

var house: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .define("CACHE_CHECKED", checked),
    .define("MARTLET_MUTANTS", checked),
]

// The house builds itself with warnings as errors (deploy/test sets this); people who depend on
// the package are not held to a future compiler's new warnings.
if Context.environment["MARTLET_STRICT"] != nil {
    house.append(.treatAllWarnings(as: .error))
}

// Debian's libzmq.pc carries -isystem flags that the package manager refuses aloud on every
// build, and headers lie on the default path there. Homebrew's do not; macOS is untried.
#if os(macOS)
    let (libzmqConfig, libcryptoConfig): (String?, String?) = ("libzmq", "libcrypto")
    let libyamlConfig: String? = "yaml-0.1"
#else
    let (libzmqConfig, libcryptoConfig): (String?, String?) = (nil, nil)
    let libyamlConfig: String? = nil
#endif

// What a build can leave out: docs/decisions/0078.
let withWeb = TargetDependencyCondition.when(traits: ["Web"])

// Libraries that many targets use.
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioSSL = Target.Dependency.product(
    name: "NIOSSL", package: "swift-nio-ssl", condition: withWeb)
let histogram = Target.Dependency.product(name: "Histogram", package: "hdrhistogram-swift")
let argumentParser = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser")
let httpClient = Target.Dependency.product(
    name: "AsyncHTTPClient", package: "async-http-client", condition: withWeb)
let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")
let heap = Target.Dependency.product(name: "HeapModule", package: "swift-collections")

let package = Package(
    name: "martlet", platforms: [.macOS(.v15)],
    products: [
        // CacheModel is part of what MartletClient promises: keys, tags, positions.
        .library(name: "MartletClient", targets: ["MartletClient", "CacheModel"]),
        .executable(name: "martlet", targets: ["martlet"]),
        .executable(name: "martlet-simulate", targets: ["martlet-simulate"]),
    ],
    // One, not several: the package manager orders them by chance, and builds all anew for it.
    traits: [
        .default(enabledTraits: ["Web"]),
        .trait(
            name: "Web",
            description: "The gateway; origins over HTTP and HTTPS; spans to a collector."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.1.0"),
        // Without its traits: they are for parts that are not used.
        .package(
            url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.24.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.6.0"),
        // Without its traits: they would link Foundation.
        .package(
            url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
    ],
    targets: [
        // Cellar – C at arm's length.
        .systemLibrary(
            name: "CZeroMQ", pkgConfig: libzmqConfig,
            providers: [.apt(["libzmq3-dev"]), .brew(["zeromq"])]),
        .systemLibrary(
            name: "CLibcrypto", pkgConfig: libcryptoConfig,
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(
            name: "CLibyaml", pkgConfig: libyamlConfig,
            providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
        .target(name: "CChecksum"),
        .target(name: "CMemory"),
        .target(name: "CPlatform"),

        // Floor 0 – words. Import nothing of ours but an instruction.
        .target(name: "CacheModel", swiftSettings: house),
        .target(name: "ByteCoding", dependencies: ["CChecksum"], swiftSettings: house),

        // Floor 1 – rooms. Pure; each knows only the words.
        .target(
            name: "CacheWire", dependencies: ["CacheModel", "ByteCoding"], swiftSettings: house),
        .target(
            name: "CacheMemory", dependencies: ["CacheModel", "ByteCoding", "CMemory"],
            swiftSettings: house),
        .target(
            name: "CacheDisk", dependencies: ["CacheModel", "ByteCoding"], swiftSettings: house),
        .target(
            name: "CacheInvalidation", dependencies: ["CacheModel", "ByteCoding", deque],
            swiftSettings: house),
        .target(
            name: "CacheLoading", dependencies: ["CacheModel", "ByteCoding", heap],
            swiftSettings: house),
        .target(
            name: "CacheVerification", dependencies: ["CacheModel", "ByteCoding"],
            swiftSettings: house),
        .target(
            name: "CacheWorkload", dependencies: ["CacheModel", "ByteCoding"],
            swiftSettings: house),
        .target(
            name: "CacheAccess", dependencies: ["CacheModel", "ByteCoding"], swiftSettings: house),
        .target(
            name: "CacheHTTP", dependencies: ["CacheModel", "ByteCoding"], swiftSettings: house),
        .target(name: "CacheMetrics", dependencies: ["CacheModel"], swiftSettings: house),

        // Floor 2 – minds. Pure; they join rooms.
        .target(
            name: "CacheNodeCore",
            dependencies: [
                "CacheModel", "ByteCoding", "CacheWire", "CacheMemory", "CacheDisk",
                "CacheInvalidation", "CacheLoading", "CacheAccess", "CacheMetrics", heap,
            ], swiftSettings: house),
        .target(
            name: "PublisherCore",
            dependencies: [
                "CacheModel", "ByteCoding", "CacheWire", "CacheInvalidation", "CacheAccess",
                "CacheMetrics", deque, heap,
            ], swiftSettings: house),
        .target(
            name: "CacheClientCore", dependencies: ["CacheModel", "ByteCoding", "CacheWire"],
            swiftSettings: house),
        .target(
            name: "PushCore",
            dependencies: ["CacheModel", "ByteCoding", "CacheAccess", "CacheHTTP", deque],
            swiftSettings: house),
        .target(
            name: "NearCore", dependencies: ["CacheModel", "CacheHTTP", deque],
            swiftSettings: house),
        .target(name: "ConsoleCore", dependencies: ["CacheModel"], swiftSettings: house),
        .target(
            name: "SpanCore", dependencies: ["CacheModel", "CacheHTTP", deque],
            swiftSettings: house),

        // Floor 3 – shells. The only modules that touch a socket, a file, a clock or a thread.
        .target(name: "Cryptography", dependencies: ["CLibcrypto"], swiftSettings: house),
        .target(
            name: "ZeroMQ", dependencies: ["ByteCoding", "CZeroMQ", "CPlatform"],
            swiftSettings: house),
        .target(
            name: "Threading", dependencies: ["CacheModel", "ZeroMQ", "CPlatform"],
            swiftSettings: house),
        .target(
            name: "AccessControl",
            dependencies: [
                "CacheModel", "ByteCoding", "CacheAccess", "ZeroMQ", "Threading", logging,
                systemPackage,
            ], swiftSettings: house),
        .target(
            name: "LogFiles",
            dependencies: [
                "CacheModel", "ByteCoding", "CacheWire", "CacheInvalidation", "ZeroMQ",
                "Threading", "CPlatform",
            ], swiftSettings: house),
        .target(
            name: "CacheFiles",
            dependencies: ["CacheModel", "CacheDisk", "ZeroMQ", "Threading", "CPlatform"],
            swiftSettings: house),
        .target(
            name: "CacheConfiguration",
            dependencies: [
                "CacheModel", "ByteCoding", "CacheLoading", "CacheWorkload", "CLibyaml",
            ], swiftSettings: house),
        .target(
            name: "CacheOrigin",
            dependencies: [
                "CacheModel", "CacheLoading", "Threading", httpClient, nioCore, nioHTTP1, nioPosix,
                nioSSL, .product(name: "Subprocess", package: "swift-subprocess"),
                systemPackage,
            ], swiftSettings: house),
        .target(
            name: "HealthServer",
            dependencies: [
                "CacheModel", "CacheMetrics", "CacheHTTP", "Threading", logging, nioCore, nioHTTP1,
                nioPosix,
            ], swiftSettings: house),
        .target(
            name: "OperationLog",
            dependencies: [
                "CacheModel", "ByteCoding", "CacheAccess", "Threading", logging, systemPackage,
            ], swiftSettings: house),
        .target(
            name: "SpanExport",
            dependencies: [
                "CacheModel", "SpanCore", "Threading", httpClient, logging, nioCore, nioHTTP1,
                nioPosix, nioSSL, tracing,
            ], swiftSettings: house),
        .target(
            name: "CacheServer",
            dependencies: [
                "CacheModel", "ByteCoding", "CacheWire", "CacheMemory", "CacheDisk", "CacheLoading",
                "CacheInvalidation", "CacheNodeCore", "CacheFiles", "LogFiles", "CacheOrigin",
                "CacheAccess", "AccessControl", "OperationLog", "CacheConfiguration", "ZeroMQ",
                "Threading", "CacheMetrics", "SpanCore", "SpanExport", logging,
            ], swiftSettings: house),
        .target(
            name: "PublisherServer",
            dependencies: [
                "CacheModel", "ByteCoding", "CacheWire", "CacheInvalidation", "PublisherCore",
                "CacheAccess", "AccessControl", "ZeroMQ", "Threading", "LogFiles",
                "CacheConfiguration", "CacheMetrics", logging,
            ], swiftSettings: house),
        .target(
            name: "MartletClient",
            dependencies: [
                "CacheModel", "ByteCoding", "CacheWire", "CacheLoading", "CacheClientCore",
                "ZeroMQ", "Threading", tracing,
            ], swiftSettings: house),
        .target(
            name: "LoadTest",
            dependencies: [
                "CacheModel", "ByteCoding", "CacheWire", "CacheWorkload", "CacheVerification",
                "ZeroMQ", "Threading", "MartletClient", histogram,
            ], swiftSettings: house),
        .target(
            name: "GatewayServer",
            dependencies: [
                "CacheModel", "ByteCoding", "CacheAccess", "CacheHTTP", "CacheMetrics", "PushCore",
                "NearCore", "SpanCore", "SpanExport", "AccessControl", "OperationLog", "Threading",
                "HealthServer", "MartletClient", "Cryptography", tracing, logging, nioCore,
                nioHTTP1, nioPosix, nioSSL,
                .product(
                    name: "HTTPTypes", package: "swift-http-types", condition: withWeb),
                .product(
                    name: "HummingbirdCore", package: "hummingbird", condition: withWeb),
                .product(
                    name: "HummingbirdHTTP2", package: "hummingbird", condition: withWeb),
                .product(
                    name: "NIOHTTPTypes", package: "swift-nio-extras", condition: withWeb),
                .product(
                    name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras",
                    condition: withWeb),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            // In the program itself: nothing has to lie beside it.
            resources: [.embedInCode("Dashboard/Page")], swiftSettings: house),

        // Made of the same minds, and of a world that is made up: keeps the waterline's rules.
        .target(
            name: "CacheSimulation",
            dependencies: [
                "CacheModel", "ByteCoding", "CacheWire", "CacheMemory", "CacheInvalidation",
                "CacheDisk", "CacheLoading", "CacheNodeCore", "PublisherCore",
            ], swiftSettings: house),

        // Floor 4 – programs, and the surface that they share.
        .target(
            name: "CommandSurface",
            dependencies: ["CacheModel", "CacheHTTP", argumentParser, systemPackage],
            swiftSettings: house),
        .executableTarget(
            name: "martlet-simulate",
            dependencies: [
                "CacheModel", "CacheHTTP", "CacheSimulation", "CommandSurface", argumentParser,
            ], swiftSettings: house),
        .executableTarget(
            name: "martlet",
            dependencies: [
                "CacheModel", "ByteCoding", "CacheWire", "CacheMemory", "CacheDisk",
                "CacheClientCore", "CacheWorkload", "CacheVerification", "CacheConfiguration",
                "CacheServer", "CacheFiles", "LogFiles", "PublisherServer", "MartletClient",
                "LoadTest", "CommandSurface", "CacheAccess", "AccessControl", "ZeroMQ",
                "Threading", "CPlatform", "CacheHTTP", "CacheMetrics", "HealthServer",
                .target(name: "GatewayServer", condition: withWeb),
                "ConsoleCore", "OperationLog", "SpanCore", "SpanExport", argumentParser, histogram,
                logging, systemPackage,
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ], swiftSettings: house),

        // For every test target and benchmark; see below. It imports no module of ours.
        .target(
            name: "TestSupport", dependencies: [logging], path: "Tests/TestSupport",
            swiftSettings: house),
        .testTarget(
            name: "CacheClientCoreTests",
            dependencies: ["CacheModel", "ByteCoding", "CacheWire", "CacheClientCore"],
            swiftSettings: house),
        .testTarget(
            name: "GatewayCoreTests",
            dependencies: ["NearCore", "PushCore", "CacheAccess", "CacheHTTP", "CacheModel"],
            swiftSettings: house),
        .testTarget(
            name: "ConsoleCoreTests", dependencies: ["ConsoleCore", "CacheModel"],
            swiftSettings: house),
        .testTarget(
            name: "SpanExportTests",
            dependencies: ["SpanExport", "SpanCore", "CacheModel", logging, nioSSL, tracing],
            swiftSettings: house),
        .testTarget(
            name: "MartletClientTests",
            dependencies: [
                "CacheModel", "ByteCoding", "CacheWire", "CacheClientCore", "ZeroMQ", "Threading",
                "MartletClient", tracing,
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            ], swiftSettings: house),
        .testTarget(
            name: "LoadTestTests",
            dependencies: [
                "CacheModel", "ByteCoding", "CacheWire", "CacheWorkload", "ZeroMQ", "Threading",
                "MartletClient", "LoadTest", histogram,
            ], swiftSettings: house),
        .testTarget(
            name: "ZeroMQTests", dependencies: ["ZeroMQ", "ByteCoding", "CZeroMQ"],
            swiftSettings: house),
        .testTarget(
            name: "CryptographyTests", dependencies: ["Cryptography", "CLibcrypto"],
            swiftSettings: house),
        .testTarget(
            name: "ThreadingTests", dependencies: ["Threading", "CacheModel", "ZeroMQ"],
            swiftSettings: house),
        .testTarget(name: "CacheModelTests", dependencies: ["CacheModel"], swiftSettings: house),
        .testTarget(name: "ByteCodingTests", dependencies: ["ByteCoding"], swiftSettings: house),
        .testTarget(
            name: "CacheWireTests", dependencies: ["CacheModel", "ByteCoding", "CacheWire"],
            swiftSettings: house),
        .testTarget(
            name: "CacheDiskTests", dependencies: ["CacheDisk", "CacheModel", "ByteCoding"],
            swiftSettings: house),
        .testTarget(
            name: "CacheMemoryTests", dependencies: ["CacheMemory", "CacheModel", "ByteCoding"],
            swiftSettings: house),
        .testTarget(name: "HouseRulesTests", swiftSettings: house),
        .testTarget(
            name: "MartletCommandTests",
            dependencies: [
                "CacheModel", "ByteCoding", "CacheDisk", "CacheVerification", "CacheConfiguration",
                "CacheAccess", "AccessControl", "PublisherServer", "ZeroMQ", "MartletClient",
                "LoadTest", "CacheMetrics", "CacheNodeCore", "CacheServer", "PublisherCore",
                "HealthServer", "CacheHTTP", "ConsoleCore", "GatewayServer", "martlet", histogram,
                argumentParser,
                "SpanCore", "SpanExport", "CommandSurface", "Threading", systemPackage,
            ], swiftSettings: house),
        .testTarget(
            name: "CacheConfigurationTests",
            dependencies: [
                "CacheModel", "ByteCoding", "CacheDisk", "CacheWorkload", "CacheConfiguration",
            ], swiftSettings: house),
        .testTarget(
            name: "ObservabilityTests",
            dependencies: [
                "CacheMetrics", "HealthServer", "OperationLog", "CacheAccess", "CacheModel",
                "CacheNodeCore", "PublisherCore", "CacheInvalidation", "CacheLoading", "CacheWire",
                "Threading", logging,
            ], swiftSettings: house),
        .testTarget(
            name: "CacheAccessTests", dependencies: ["CacheAccess", "CacheModel", "ByteCoding"],
            swiftSettings: house),
        .testTarget(
            name: "AccessControlTests",
            dependencies: [
                "AccessControl", "CacheAccess", "CacheModel", "ByteCoding", "ZeroMQ", "Threading",
                logging,
            ], swiftSettings: house),
        .testTarget(
            name: "CacheHTTPTests", dependencies: ["CacheHTTP", "CacheModel", "ByteCoding"],
            swiftSettings: house),
        .testTarget(
            name: "GatewayServerTests",
            dependencies: [
                "GatewayServer", "CacheHTTP", "CacheAccess", "CacheModel", "ByteCoding",
                "CacheMetrics", "CacheWire", "NearCore", "PushCore", "MartletClient", "Threading",
                logging, "Cryptography", "CLibcrypto", "SpanCore", "SpanExport", nioCore, tracing,
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(
                    name: "NIOHTTPTypes", package: "swift-nio-extras", condition: withWeb),
            ], swiftSettings: house),
        .testTarget(
            name: "CacheWorkloadTests",
            dependencies: ["CacheWorkload", "CacheModel", "ByteCoding"], swiftSettings: house),
        .testTarget(
            name: "CacheLoadingTests", dependencies: ["CacheLoading", "CacheModel", "ByteCoding"],
            swiftSettings: house),
        .testTarget(
            name: "CacheInvalidationTests",
            dependencies: [
                "CacheInvalidation", "CacheModel", "ByteCoding", "CacheWire", "LogFiles",
            ], swiftSettings: house),
        .testTarget(
            name: "CacheVerificationTests",
            dependencies: ["CacheVerification", "CacheModel", "ByteCoding"], swiftSettings: house),
        .testTarget(
            name: "CacheOriginTests",
            dependencies: [
                "CacheOrigin", "CacheLoading", "CacheModel", "Threading", nioCore, nioPosix,
            ], swiftSettings: house),
        .testTarget(
            name: "CacheFilesTests",
            dependencies: ["CacheFiles", "CacheDisk", "CacheModel", "ZeroMQ", "Threading"],
            swiftSettings: house),
        .testTarget(
            name: "LogFilesTests",
            dependencies: [
                "LogFiles", "CacheInvalidation", "CacheModel", "ByteCoding", "CacheWire",
                "Threading",
            ], swiftSettings: house),
        .testTarget(
            name: "CacheNodeCoreTests",
            dependencies: [
                "CacheNodeCore", "CacheSimulation", "CacheInvalidation", "CacheLoading",
                "CacheMemory", "CacheDisk", "CacheWire", "CacheModel", "ByteCoding", "CacheAccess",
            ], swiftSettings: house),
        .testTarget(
            name: "PublisherCoreTests",
            dependencies: [
                "PublisherCore", "CacheInvalidation", "CacheModel", "CacheWire", "ByteCoding",
                "CacheAccess",
            ], swiftSettings: house),
        .testTarget(
            name: "ScenarioTests",
            dependencies: [
                "PublisherCore", "CacheNodeCore", "CacheInvalidation", "CacheWire", "CacheModel",
                "ByteCoding",
            ], swiftSettings: house),
        .testTarget(
            name: "PublisherServerTests",
            dependencies: [
                "PublisherServer", "PublisherCore", "LogFiles", "CacheInvalidation", "CacheModel",
                "CacheMetrics", "CacheWire", "ByteCoding", "AccessControl", "Threading", "ZeroMQ",
                "CacheConfiguration", logging,
            ], swiftSettings: house),
        .testTarget(
            name: "CacheServerTests",
            dependencies: [
                "CacheServer", "PublisherServer", "CacheNodeCore", "PublisherCore", "CacheModel",
                "CacheWire", "ByteCoding", "ZeroMQ", "Threading", "CacheConfiguration",
                "CacheFiles", "CacheLoading", "LogFiles", logging,
            ], swiftSettings: house),
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "CacheSimulation", "CacheModel", "CommandSurface", "martlet-simulate",
                argumentParser,
            ], swiftSettings: house),
        // Measured, not tested: swift run -c release engine-benchmarks, client-benchmarks.
        .target(name: "CMeasure", path: "Tests/Benchmarks/CMeasure"),
        .executableTarget(
            name: "engine-benchmarks",
            dependencies: [
                "CMeasure", "CacheSimulation", "CacheNodeCore", "CacheMemory", "CacheDisk",
                "CacheFiles", "CacheWire", "CacheModel", "ByteCoding", "ZeroMQ", "Threading",
                argumentParser,
            ], path: "Tests/Benchmarks/Engine", swiftSettings: house),
        .executableTarget(
            name: "log-benchmarks",
            dependencies: [
                "LogFiles", "CacheInvalidation", "CacheWire", "CacheModel", "ByteCoding",
                "Threading", argumentParser,
            ], path: "Tests/Benchmarks/Log", swiftSettings: house),
        .executableTarget(
            name: "coherence-benchmarks",
            dependencies: [
                "CacheModel", "ByteCoding", "CacheWire", "ZeroMQ", "Threading", "MartletClient",
                argumentParser,
            ], path: "Tests/Benchmarks/Coherence", swiftSettings: house),
        .executableTarget(
            name: "client-benchmarks",
            dependencies: ["CMeasure", "CacheModel", "MartletClient", argumentParser],
            path: "Tests/Benchmarks/Client", swiftSettings: house),
        // Real processes: the program is listed so that it is built before it is tried.
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "martlet", "CacheModel", "CacheWire", "CacheInvalidation", "CacheDisk",
                "CacheFiles", "LogFiles", "MartletClient", "Threading", "ZeroMQ",
            ], swiftSettings: house),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type == .test || target.name.hasSuffix("-benchmarks") {
    target.dependencies.append("TestSupport")
}

// What Tests/Fuzz/run builds. Targets of tests stand aside, because it shares some of their files.
if let fuzzing = Context.environment["MARTLET_FUZZ"] {
    package.targets.removeAll { $0.type == .test }
    package.targets += [
        .target(
            name: "FrameSamples", dependencies: ["CacheModel", "ByteCoding", "CacheWire"],
            path: "Tests/CacheWireTests/Support", exclude: ["GoldenFiles.swift", "Receiver.swift"],
            swiftSettings: house),
        .target(
            name: "TierSamples",
            dependencies: ["CacheModel", "ByteCoding", "CacheDisk", "TestSupport"],
            path: "Tests/CacheDiskTests",
            sources: [
                "DiskBench.swift", "DiskIndexSupport.swift", "InspectionBench.swift",
                "TierForge.swift", "TierFuzzing.swift",
            ], swiftSettings: house),
        .target(
            name: "PublisherSamples", dependencies: ["CacheModel", "CacheInvalidation"],
            path: "Tests/PublisherCoreTests", sources: ["SlowLog.swift"], swiftSettings: house),
        // Files of modules that are more than has to be built.
        .target(
            name: "Borrowed",
            dependencies: [
                "CacheModel", "ByteCoding", "CacheWire", "CacheConfiguration", "CommandSurface",
            ],
            path: "Tests/Fuzz/Borrowed", swiftSettings: house),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "CacheModel", "ByteCoding", "CacheWire", "CacheMemory", "CacheDisk",
                "CacheInvalidation", "CacheLoading", "CacheWorkload", "CacheAccess",
                "CacheNodeCore", "PublisherCore", "CacheClientCore", "ZeroMQ",
                "CacheConfiguration", "CacheHTTP", "CacheMetrics", "FrameSamples", "TierSamples",
                "PublisherSamples", "Borrowed", "PushCore",
            ], path: "Tests/Fuzz/Targets",
            exclude: fuzzing == "replay" ? [] : ["FuzzReplay.swift"], swiftSettings: house),
    ]
}

// One program alone, and no package that it does not need (docs/decisions/0077).
if Context.environment["MARTLET_ONLY"] == "simulate" { package.keep(only: "martlet-simulate") }

extension Package {
    /// Removes the products, targets and dependencies that one program does not need.
    func keep(only program: String) {
        var (targetNames, packageNames, waiting) = (Set<String>(), Set<String>(), [program])
        while let name = waiting.popLast() {
            guard targetNames.insert(name).inserted else { continue }
            for dependency in targets.first(where: { $0.name == name })?.dependencies ?? [] {
                switch dependency {
                case .productItem(_, let package?, _, _): packageNames.insert(package)
                case .byNameItem(let name, _), .targetItem(let name, _): waiting.append(name)
                default: break
                }
            }
        }
        products.removeAll { $0.name != program }
        targets.removeAll { !targetNames.contains($0.name) }
        dependencies.removeAll {
            guard case .sourceControl(_, let location, _) = $0.kind else { return true }
            return !packageNames.contains { location.hasSuffix("/" + $0) }
        }
    }
}
