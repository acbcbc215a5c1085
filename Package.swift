// swift-tools-version: 6.2
// The layers: a target depends only on targets above it in this file.
// See docs/architecture.md. A new dependency between two targets needs a decision record.

import PackageDescription

// Structures check themselves, and guards can be switched off (docs/decisions/0020): in debug
// builds, and where MARTLET_CHECKED is set. Nothing that is shipped is built with it.
let checked: BuildSettingCondition? =
    Context.environment["MARTLET_CHECKED"] == nil ? .when(configuration: .debug) : nil

// The house builds itself with warnings as errors (deploy/test sets this); people who depend on
// the package are not held to a future compiler's new warnings.
let strict: [SwiftSetting] =
    Context.environment["MARTLET_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

let house: [SwiftSetting] =
    strict + [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .define("CACHE_CHECKED", checked),
        .define("MARTLET_MUTANTS", checked),
    ]

// Debian's libzmq.pc carries -isystem flags that the package manager refuses aloud on every
// build, and headers lie on the default path there. Homebrew's do not; macOS is untried.
#if os(macOS)
    let (libzmqConfig, libcryptoConfig): (String?, String?) = ("libzmq", "libcrypto")
    let libyamlConfig: String? = "yaml-0.1"
#else
    let (libzmqConfig, libcryptoConfig): (String?, String?) = (nil, nil)
    let libyamlConfig: String? = nil
#endif

// What a build can leave out: docs/decisions/0078. Each trait contains the next one, so a build
// names one of them or none. Without any, only the target MartletClient builds.
let withWeb = TargetDependencyCondition.when(traits: ["Web"])
let withServers = TargetDependencyCondition.when(traits: ["Web", "Servers"])
let withService = TargetDependencyCondition.when(traits: ["Web", "Servers", "Service"])

func library(
    _ name: String, _ package: String, _ condition: TargetDependencyCondition? = nil
) -> Target.Dependency {
    .product(name: name, package: package, condition: condition)
}

// Libraries that many targets use.
let logging = library("Logging", "swift-log", withService)
let deque = library("DequeModule", "swift-collections", withServers)
let nioCore = library("NIOCore", "swift-nio", withServers)
let nioPosix = library("NIOPosix", "swift-nio", withServers)
let nioHTTP1 = library("NIOHTTP1", "swift-nio", withServers)
let nioSSL = library("NIOSSL", "swift-nio-ssl", withWeb)
let histogram = library("Histogram", "hdrhistogram-swift", withServers)
let argumentParser = library("ArgumentParser", "swift-argument-parser", withServers)
let httpClient = library("AsyncHTTPClient", "async-http-client", withWeb)
let systemPackage = library("SystemPackage", "swift-system", withServers)
let tracing = library("Tracing", "swift-distributed-tracing")
let serviceLifecycle = library("ServiceLifecycle", "swift-service-lifecycle", withService)
let unixSignals = library("UnixSignals", "swift-service-lifecycle", withService)
let heap = library("HeapModule", "swift-collections", withServers)

/// The folder of a module in Sources, and of its tests in Tests/Units. Tests/HouseRulesTests has
/// the rule of each.
enum Layer: String {
    case model = "Model"
    case components = "Components"
    case cores = "Cores"
    case runtime = "Runtime"
    case programs = "Programs"
}

extension Target {
    static func module(
        _ layer: Layer, name: String, dependencies: [Dependency] = [],
        resources: [Resource]? = nil
    ) -> Target {
        .target(
            name: name, dependencies: dependencies, path: "Sources/\(layer.rawValue)/\(name)",
            resources: resources, swiftSettings: house)
    }

    static func program(name: String, dependencies: [Dependency]) -> Target {
        .executableTarget(
            name: name, dependencies: dependencies, path: "Sources/Programs/\(name)",
            swiftSettings: house)
    }

    /// Unit tests of a module: all of them use the model.
    static func unitTests(_ layer: Layer, name: String, dependencies: [Dependency] = []) -> Target {
        .testTarget(
            name: name, dependencies: ["CacheModel", "ByteCoding"] + dependencies,
            path: "Tests/Units/\(layer.rawValue)/\(name)", swiftSettings: house)
    }
}

let package = Package(
    name: "martlet", platforms: [.macOS(.v15)],
    products: [
        // CacheModel is part of what MartletClient promises: keys, tags, positions.
        .library(name: "MartletClient", targets: ["MartletClient", "CacheModel"]),
        // Beside it, so that only programs with service groups build swift-service-lifecycle.
        .library(name: "MartletClientLifecycle", targets: ["MartletClientLifecycle"]),
        .executable(name: "martlet", targets: ["martlet"]),
        .executable(name: "martlet-simulate", targets: ["martlet-simulate"]),
    ],
    // A build has one of them, not several: the package manager orders those by chance, and builds
    // all anew for it.
    traits: [
        .default(enabledTraits: ["Web"]),
        .trait(
            name: "Web", description: "All of Servers, gateway, origins, log on etcd, spans sent."),
        .trait(
            name: "Servers", description: "All of Service, and the programs: publisher, nodes."),
        .trait(name: "Service", description: "MartletClientLifecycle."),
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
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
    ],
    targets: [
        // C libraries, each with one module of ours that imports it, and the system's libraries.
        .systemLibrary(
            name: "CZeroMQ", path: "Sources/C/CZeroMQ", pkgConfig: libzmqConfig,
            providers: [.apt(["libzmq3-dev"]), .brew(["zeromq"])]),
        .systemLibrary(
            name: "CLibcrypto", path: "Sources/C/CLibcrypto", pkgConfig: libcryptoConfig,
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(
            name: "CLibyaml", path: "Sources/C/CLibyaml", pkgConfig: libyamlConfig,
            providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
        .target(name: "CChecksum", path: "Sources/C/CChecksum"),
        .target(name: "CMemory", path: "Sources/C/CMemory"),
        .target(name: "CPlatform", path: "Sources/C/CPlatform"),
        .target(name: "LibC", path: "Sources/C/LibC", swiftSettings: house),
        .target(
            name: "EssentialFoundation", path: "Sources/C/EssentialFoundation",
            swiftSettings: house),

        // Model: the types that all modules share.
        .module(.model, name: "CacheModel"),
        .module(.model, name: "ByteCoding", dependencies: ["CChecksum"]),

        // Components: sans-I/O; each knows the model alone.
        .module(.components, name: "CacheWire", dependencies: ["CacheModel", "ByteCoding"]),
        .module(
            .components, name: "CacheMemory",
            dependencies: ["CacheModel", "ByteCoding", "CMemory"]),
        .module(.components, name: "CacheDisk", dependencies: ["CacheModel", "ByteCoding"]),
        .module(
            .components, name: "CacheInvalidation",
            dependencies: ["CacheModel", "ByteCoding", deque]),
        .module(
            .components, name: "CacheLoading",
            dependencies: ["CacheModel", "ByteCoding", deque, heap]),
        .module(
            .components, name: "CacheVerification",
            dependencies: ["CacheModel", "ByteCoding", deque]),
        .module(.components, name: "CacheWorkload", dependencies: ["CacheModel", "ByteCoding"]),
        .module(.components, name: "CacheAccess", dependencies: ["CacheModel", "ByteCoding"]),
        .module(.components, name: "CacheHTTP", dependencies: ["CacheModel", "ByteCoding"]),
        .module(
            .components, name: "CacheMetrics", dependencies: ["CacheModel", "ByteCoding", deque]),

        // Cores: sans-I/O; they join components.
        .module(
            .cores, name: "CacheNodeCore",
            dependencies: [
                "CacheModel", "ByteCoding", "CacheWire", "CacheMemory", "CacheDisk",
                "CacheInvalidation", "CacheLoading", "CacheAccess", "CacheMetrics", heap,
            ]),
        .module(
            .cores, name: "PublisherCore",
            dependencies: [
                "CacheModel", "ByteCoding", "CacheWire", "CacheInvalidation", "CacheAccess",
                "CacheMetrics", deque, heap,
            ]),
        .module(
            .cores, name: "SharedLogCore",
            dependencies: ["CacheModel", "ByteCoding", "CacheWire", "CacheInvalidation", deque]),
        .module(
            .cores, name: "CacheClientCore",
            dependencies: ["CacheModel", "ByteCoding", "CacheWire"]),
        .module(
            .cores, name: "GatewayCore",
            dependencies: ["CacheModel", "ByteCoding", "CacheAccess", "CacheHTTP", deque]),
        .module(.cores, name: "ConsoleCore", dependencies: ["CacheModel"]),

        // Runtime: the only modules that use sockets, files, clocks and threads.
        .module(.runtime, name: "Cryptography", dependencies: ["CLibcrypto"]),
        .module(
            .runtime, name: "ZeroMQ", dependencies: ["LibC", "ByteCoding", "CZeroMQ", "CPlatform"]),
        .module(
            .runtime, name: "Threading",
            dependencies: ["LibC", "CacheModel", "ZeroMQ", "CPlatform"]),
        .module(
            .runtime, name: "AccessControl",
            dependencies: [
                "LibC", "EssentialFoundation", "CacheModel", "ByteCoding", "CacheAccess", "ZeroMQ",
                "Threading", logging, systemPackage,
            ]),
        .module(
            .runtime, name: "Storage",
            dependencies: [
                "LibC", "CacheModel", "ByteCoding", "CacheWire", "CacheInvalidation", "ZeroMQ",
                "Threading", "CPlatform", "CacheDisk",
            ]),
        .module(
            .runtime, name: "EtcdStorage",
            dependencies: [
                "CacheModel", "CacheInvalidation", "CacheWire", "SharedLogCore", "Storage",
                "Threading", "ZeroMQ", httpClient, nioCore, nioHTTP1, nioPosix, nioSSL,
            ]),
        .module(
            .runtime, name: "CacheConfiguration",
            dependencies: [
                "CacheModel", "ByteCoding", "CacheLoading", "CacheWorkload", "CLibyaml",
            ]),
        .module(
            .runtime, name: "CacheOrigin",
            dependencies: [
                "CacheModel", "CacheLoading", "Threading", httpClient, nioCore, nioHTTP1, nioPosix,
                nioSSL,
            ]),
        .module(
            .runtime, name: "Telemetry",
            dependencies: [
                "LibC", "EssentialFoundation", "CacheModel", "CacheMetrics", "CacheHTTP",
                "Threading", logging, nioCore, nioHTTP1, nioPosix, "ByteCoding", "CacheAccess",
                systemPackage, httpClient, nioSSL, tracing,
            ]),
        .module(
            .runtime, name: "CacheServer",
            dependencies: [
                "LibC", "CacheModel", "ByteCoding", "CacheWire", "CacheMemory", "CacheDisk",
                "CacheLoading", "CacheInvalidation", "CacheNodeCore", "Storage", "CacheOrigin",
                "CacheAccess", "AccessControl", "Telemetry", "CacheConfiguration", "ZeroMQ",
                "Threading", "CacheMetrics", logging,
            ]),
        .module(
            .runtime, name: "PublisherServer",
            dependencies: [
                "EssentialFoundation", "CacheModel", "ByteCoding", "CacheWire", "CacheInvalidation",
                "PublisherCore", "CacheAccess", "AccessControl", "ZeroMQ", "Threading", "Storage",
                "EtcdStorage", "SharedLogCore", "CacheConfiguration", "CacheMetrics", logging,
            ]),
        .module(
            .runtime, name: "MartletClient",
            dependencies: [
                "EssentialFoundation", "CacheModel", "ByteCoding", "CacheWire", "CacheClientCore",
                "ZeroMQ", "Threading", tracing,
            ]),
        .module(
            .runtime, name: "MartletClientLifecycle",
            dependencies: ["MartletClient", serviceLifecycle]),
        .module(
            .runtime, name: "LoadTest",
            dependencies: [
                "LibC", "EssentialFoundation",
                "CacheModel", "ByteCoding", "CacheWire", "CacheWorkload", "CacheVerification",
                "ZeroMQ", "Threading", "MartletClient", histogram,
            ]),
        .module(
            .runtime, name: "GatewayServer",
            dependencies: [
                "EssentialFoundation", "CacheModel", "ByteCoding", "CacheAccess", "CacheHTTP",
                "CacheMetrics", "GatewayCore", "Telemetry", "AccessControl", "Threading",
                "MartletClient", "Cryptography", tracing, logging, nioCore, nioHTTP1, nioPosix,
                nioSSL, library("HTTPTypes", "swift-http-types", withWeb),
                library("HummingbirdCore", "hummingbird", withWeb),
                library("HummingbirdHTTP2", "hummingbird", withWeb),
                library("NIOHTTPTypes", "swift-nio-extras", withWeb),
                library("NIOHTTPTypesHTTP1", "swift-nio-extras", withWeb),
                library("NIOTLS", "swift-nio", withServers),
                library("NIOWebSocket", "swift-nio", withServers), serviceLifecycle,
            ],
            // In the program itself: nothing has to lie beside it.
            resources: [.embedInCode("Dashboard/Page"), .embedInCode("OpenAPI/openapi.json")]),

        // A cluster of the cores in a simulated world: sans-I/O, too.
        .module(
            .cores, name: "CacheSimulation",
            dependencies: [
                "CacheModel", "ByteCoding", "CacheWire", "CacheMemory", "CacheInvalidation",
                "CacheDisk", "CacheLoading", "CacheNodeCore", "PublisherCore", "SharedLogCore",
                heap,
            ]),

        // Programs, and what they share.
        .module(
            .programs, name: "CommandSurface",
            dependencies: [
                "LibC", "EssentialFoundation", "CacheModel", "ByteCoding", argumentParser,
                systemPackage,
            ]),
        .program(
            name: "martlet-simulate",
            dependencies: [
                "EssentialFoundation",
                "CacheModel", "ByteCoding", "CacheSimulation", "CommandSurface", argumentParser,
            ]),
        .program(
            name: "martlet",
            dependencies: [
                "LibC", "EssentialFoundation", "CacheModel", "ByteCoding", "CacheWire",
                "CacheMemory", "CacheDisk", "CacheClientCore", "CacheWorkload", "CacheVerification",
                "CacheConfiguration", "CacheServer", "Storage", "PublisherServer", "MartletClient",
                "PublisherCore", "LoadTest", "CommandSurface", "CacheAccess", "AccessControl",
                "ZeroMQ", "Threading", "CPlatform", "CacheHTTP", "CacheMetrics", "Telemetry",
                "EtcdStorage",
                .target(name: "GatewayServer", condition: withWeb), "ConsoleCore", argumentParser,
                histogram, logging, systemPackage, serviceLifecycle, unixSignals,
            ]),

        // For every test target and benchmark; see below. It imports no module of ours.
        .target(
            name: "TestSupport", dependencies: [logging], path: "Tests/TestSupport",
            swiftSettings: house),
        .unitTests(
            .cores, name: "CacheClientCoreTests",
            dependencies: ["CacheWire", "CacheClientCore"]),
        .unitTests(
            .cores, name: "GatewayCoreTests",
            dependencies: ["GatewayCore", "CacheAccess", "CacheHTTP"]),
        .unitTests(.cores, name: "ConsoleCoreTests", dependencies: ["ConsoleCore"]),
        .unitTests(
            .runtime, name: "TelemetryTests",
            dependencies: [
                "Telemetry", logging, nioSSL, tracing, "CacheMetrics", "CacheAccess",
                "CacheNodeCore", "PublisherCore", "CacheInvalidation", "CacheLoading", "CacheWire",
                "Threading",
            ]),
        .unitTests(
            .runtime, name: "MartletClientTests",
            dependencies: [
                "CacheWire", "CacheClientCore", "ZeroMQ", "Threading", "MartletClient", tracing,
                library("InMemoryTracing", "swift-distributed-tracing"),
            ]),
        .unitTests(
            .runtime, name: "MartletClientLifecycleTests",
            dependencies: ["MartletClient", "MartletClientLifecycle", logging, serviceLifecycle]),
        .unitTests(
            .runtime, name: "LoadTestTests",
            dependencies: [
                "CacheWire", "CacheWorkload", "ZeroMQ", "Threading", "MartletClient", "LoadTest",
                histogram,
            ]),
        .unitTests(
            .runtime, name: "ZeroMQTests", dependencies: ["ZeroMQ", "CZeroMQ"]),
        .unitTests(
            .runtime, name: "CryptographyTests", dependencies: ["Cryptography", "CLibcrypto"]),
        .unitTests(
            .runtime, name: "ThreadingTests", dependencies: ["Threading", "ZeroMQ"]),
        .unitTests(.model, name: "CacheModelTests"),
        .unitTests(.model, name: "ByteCodingTests"),
        .unitTests(
            .components, name: "CacheWireTests",
            dependencies: ["CacheWire"]),
        .unitTests(
            .components, name: "CacheDiskTests",
            dependencies: ["CacheDisk"]),
        .unitTests(
            .components, name: "CacheMemoryTests",
            dependencies: ["CacheMemory"]),
        .testTarget(name: "HouseRulesTests", swiftSettings: house),
        .unitTests(
            .programs, name: "MartletCommandTests",
            dependencies: [
                "CacheDisk", "CacheVerification", "CacheConfiguration", "CacheAccess",
                "AccessControl", "PublisherServer", "ZeroMQ", "MartletClient", "LoadTest",
                "CacheMetrics", "CacheNodeCore", "CacheServer", "PublisherCore", "Telemetry",
                "CacheHTTP", "ConsoleCore", "GatewayServer", "martlet", histogram, argumentParser,
                "CommandSurface", "Threading", "EtcdStorage", systemPackage,
            ]),
        .unitTests(
            .runtime, name: "CacheConfigurationTests",
            dependencies: ["CacheDisk", "CacheWorkload", "CacheConfiguration"]),
        .unitTests(
            .components, name: "CacheAccessTests",
            dependencies: ["CacheAccess"]),
        .unitTests(
            .runtime, name: "AccessControlTests",
            dependencies: ["AccessControl", "CacheAccess", "ZeroMQ", "Threading", logging]),
        .unitTests(
            .components, name: "CacheHTTPTests",
            dependencies: ["CacheHTTP"]),
        .unitTests(
            .runtime, name: "GatewayServerTests",
            dependencies: [
                "GatewayServer", "CacheHTTP", "CacheAccess", "CacheMetrics", "CacheWire",
                "GatewayCore", "MartletClient", "Threading", logging, "Cryptography", "CLibcrypto",
                "Telemetry", nioCore, tracing, library("NIOEmbedded", "swift-nio", withServers),
                library("HTTPTypes", "swift-http-types", withWeb),
                library("NIOHTTPTypes", "swift-nio-extras", withWeb),
            ]),
        .unitTests(
            .components, name: "CacheWorkloadTests",
            dependencies: ["CacheWorkload"]),
        .unitTests(
            .components, name: "CacheLoadingTests",
            dependencies: ["CacheLoading"]),
        .unitTests(
            .components, name: "CacheInvalidationTests",
            dependencies: ["CacheInvalidation", "CacheWire", "Storage"]),
        .unitTests(
            .components, name: "CacheVerificationTests",
            dependencies: ["CacheVerification"]),
        .unitTests(
            .runtime, name: "CacheOriginTests",
            dependencies: [
                "CacheOrigin", "CacheLoading", "Threading", nioCore, nioPosix,
                library("Subprocess", "swift-subprocess"),
            ]),
        .unitTests(
            .runtime, name: "EtcdStorageTests",
            dependencies: [
                "EtcdStorage", "SharedLogCore", "CacheSimulation", "CacheInvalidation", "CacheWire",
                "Storage", "Threading",
            ]),
        .unitTests(
            .runtime, name: "StorageTests",
            dependencies: [
                "Storage", "CacheDisk", "ZeroMQ", "Threading", "CacheInvalidation", "CacheWire",
            ]),
        .unitTests(
            .cores, name: "CacheNodeCoreTests",
            dependencies: [
                "CacheNodeCore", "CacheSimulation", "CacheInvalidation", "CacheLoading",
                "CacheMemory", "CacheDisk", "CacheWire", "CacheAccess",
            ]),
        .unitTests(
            .cores, name: "PublisherCoreTests",
            dependencies: ["PublisherCore", "CacheInvalidation", "CacheWire", "CacheAccess"]),
        .unitTests(
            .cores, name: "SharedLogCoreTests",
            dependencies: ["SharedLogCore", "CacheSimulation", "CacheInvalidation", "CacheWire"]),
        .unitTests(
            .cores, name: "ScenarioTests",
            dependencies: ["PublisherCore", "CacheNodeCore", "CacheInvalidation", "CacheWire"]),
        .unitTests(
            .runtime, name: "PublisherServerTests",
            dependencies: [
                "PublisherServer", "PublisherCore", "Storage", "CacheInvalidation", "CacheMetrics",
                "CacheWire", "AccessControl", "Threading", "ZeroMQ", "CacheConfiguration",
                "EtcdStorage", "SharedLogCore", logging,
            ]),
        .unitTests(
            .runtime, name: "CacheServerTests",
            dependencies: [
                "CacheServer", "PublisherServer", "CacheNodeCore", "PublisherCore", "CacheWire",
                "ZeroMQ", "Threading", "CacheConfiguration", "Storage", "CacheLoading", logging,
            ]),
        .unitTests(
            .cores, name: "SimulationTests",
            dependencies: [
                "CacheSimulation", "CommandSurface", "martlet-simulate", argumentParser,
            ]),
        // Measured, not tested: swift run -c release engine-benchmarks, client-benchmarks.
        .target(name: "CMeasure", path: "Tests/Benchmarks/CMeasure"),
        .executableTarget(
            name: "engine-benchmarks",
            dependencies: [
                "CMeasure", "CacheSimulation", "CacheNodeCore", "CacheMemory", "CacheDisk",
                "Storage", "CacheWire", "CacheModel", "ByteCoding", "ZeroMQ", "Threading",
                argumentParser,
            ], path: "Tests/Benchmarks/Engine", swiftSettings: house),
        .executableTarget(
            name: "log-benchmarks",
            dependencies: [
                "Storage", "CacheInvalidation", "CacheWire", "CacheModel", "ByteCoding",
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
        // Programs for readers: swift run examples.
        .executableTarget(
            name: "examples",
            dependencies: [
                "CacheModel", "MartletClient", "MartletClientLifecycle", logging, serviceLifecycle,
                unixSignals,
            ], path: "docs/examples", exclude: ["README.md", "coherent-cache.html"],
            swiftSettings: house),
        // Real processes: the program is listed so that it is built before it is tried.
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "martlet", "CacheModel", "CacheWire", "CacheInvalidation", "CacheDisk", "Storage",
                "MartletClient", "Threading", "ZeroMQ",
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
            path: "Tests/Units/Components/CacheWireTests/Support",
            exclude: ["GoldenFiles.swift", "Receiver.swift"],
            swiftSettings: house),
        .target(
            name: "TierSamples",
            dependencies: ["CacheModel", "ByteCoding", "CacheDisk", "TestSupport"],
            path: "Tests/Units/Components/CacheDiskTests",
            sources: [
                "DiskBench.swift", "DiskIndexSupport.swift", "InspectionBench.swift",
                "TierForge.swift", "TierFuzzing.swift",
            ], swiftSettings: house),
        .target(
            name: "PublisherSamples", dependencies: ["CacheModel", "CacheInvalidation"],
            path: "Tests/Units/Cores/PublisherCoreTests", sources: ["SlowLog.swift"],
            swiftSettings: house),
        // Files of modules that are more than has to be built.
        .target(
            name: "Borrowed",
            dependencies: [
                "CacheModel", "CacheWire", "CacheConfiguration", "CommandSurface", "LibC",
            ],
            path: "Tests/Fuzz/Borrowed", swiftSettings: house),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "CacheModel", "ByteCoding", "CacheWire", "CacheMemory", "CacheDisk",
                "CacheInvalidation", "CacheLoading", "CacheWorkload", "CacheAccess",
                "CacheNodeCore", "PublisherCore", "CacheClientCore", "ZeroMQ", "CacheConfiguration",
                "CacheHTTP", "CacheMetrics", "FrameSamples", "TierSamples", "PublisherSamples",
                "Borrowed", "GatewayCore",
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
