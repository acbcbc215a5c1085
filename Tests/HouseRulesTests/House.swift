import Foundation

/// The layers: in which of them a module is, and what it may import.
///
/// `Package.swift` says the same, and the copy is intended: a new dependency between two modules is
/// written twice, the second time here, beside the rule that it has to keep.
enum House {
    /// A layer is a folder of `Sources`. Up to the cores nothing does I/O; the runtime does; a
    /// program reads arguments and calls the runtime.
    enum Layer: String, CaseIterable, Comparable {
        case c = "C"
        case model = "Model"
        case components = "Components"
        case cores = "Cores"
        case runtime = "Runtime"
        case programs = "Programs"

        private var number: Int { Self.allCases.firstIndex(of: self) ?? 0 }

        static func < (left: Layer, right: Layer) -> Bool { left.number < right.number }

        /// No clock, socket, file, thread, lock, task, randomness or Foundation in this layer.
        var isSansIO: Bool { self > .c && self < .runtime }
    }

    struct Module {
        let layer: Layer
        let mayImport: Set<String>

        init(_ layer: Layer, _ mayImport: Set<String>) {
            self.layer = layer
            self.mayImport = mayImport
        }
    }

    /// A new dependency needs a decision record (docs/decisions); one on a higher layer is refused,
    /// and up to the cores one on the same layer.
    static let modules: [String: Module] = [
        "CZeroMQ": Module(.c, []),
        "CLibcrypto": Module(.c, []),
        "CLibyaml": Module(.c, []),
        "CChecksum": Module(.c, []),
        "CMemory": Module(.c, []),
        "CPlatform": Module(.c, []),
        "LibC": Module(.c, []),
        "EssentialFoundation": Module(.c, []),

        "CacheModel": Module(.model, []),
        "ByteCoding": Module(.model, ["CChecksum"]),

        "CacheWire": Module(.components, ["CacheModel", "ByteCoding"]),
        "CacheMemory": Module(.components, ["CacheModel", "ByteCoding", "CMemory"]),
        "CacheDisk": Module(.components, ["CacheModel", "ByteCoding"]),
        "CacheInvalidation": Module(.components, ["CacheModel", "ByteCoding", "DequeModule"]),

        "CacheLoading": Module(
            .components, ["CacheModel", "ByteCoding", "DequeModule", "HeapModule"]),
        "CacheVerification": Module(.components, ["CacheModel", "ByteCoding", "DequeModule"]),
        "CacheWorkload": Module(.components, ["CacheModel", "ByteCoding"]),
        "CacheAccess": Module(.components, ["CacheModel", "ByteCoding"]),
        "CacheHTTP": Module(.components, ["CacheModel", "ByteCoding"]),
        "CacheMetrics": Module(.components, ["CacheModel", "ByteCoding", "DequeModule"]),

        "CacheNodeCore": Module(
            .cores,
            [
                "CacheModel", "ByteCoding", "CacheWire", "CacheMemory", "CacheDisk",
                "CacheInvalidation", "CacheLoading", "CacheAccess", "CacheMetrics", "HeapModule",
            ]),
        "PublisherCore": Module(
            .cores,
            [
                "CacheModel", "ByteCoding", "CacheWire", "CacheInvalidation", "CacheAccess",
                "CacheMetrics", "DequeModule", "HeapModule",
            ]),
        "SharedLogCore": Module(
            .cores,
            ["CacheModel", "ByteCoding", "CacheWire", "CacheInvalidation", "DequeModule"]),
        "CacheClientCore": Module(.cores, ["CacheModel", "ByteCoding", "CacheWire"]),
        "GatewayCore": Module(
            .cores, ["CacheModel", "ByteCoding", "CacheAccess", "CacheHTTP", "DequeModule"]),
        "ConsoleCore": Module(.cores, ["CacheModel"]),

        "CacheSimulation": Module(
            .cores,
            [
                "CacheModel", "ByteCoding", "CacheWire", "CacheMemory", "CacheInvalidation",
                "CacheDisk", "CacheLoading", "CacheNodeCore", "PublisherCore",
                "SharedLogCore", "HeapModule",
            ]),

        "Cryptography": Module(.runtime, ["CLibcrypto"]),
        "ZeroMQ": Module(.runtime, ["LibC", "ByteCoding", "CZeroMQ", "CPlatform"]),
        "Threading": Module(.runtime, ["LibC", "CacheModel", "ZeroMQ", "CPlatform"]),
        "AccessControl": Module(
            .runtime,
            [
                "LibC", "EssentialFoundation",
                "CacheModel", "ByteCoding", "CacheAccess", "ZeroMQ", "Threading", "Logging",
                "SystemPackage",
            ]),
        "Storage": Module(
            .runtime,
            [
                "LibC",
                "CacheModel", "ByteCoding", "CacheWire", "CacheInvalidation", "ZeroMQ", "Threading",
                "CPlatform", "CacheDisk",
            ]),
        "EtcdStorage": Module(
            .runtime,
            [
                "CacheModel", "CacheInvalidation", "CacheWire", "SharedLogCore", "Storage",
                "Threading", "ZeroMQ", "AsyncHTTPClient", "NIOCore", "NIOHTTP1", "NIOPosix",
                "NIOSSL",
            ]),
        "CacheConfiguration": Module(
            .runtime, ["CacheModel", "ByteCoding", "CacheLoading", "CacheWorkload", "CLibyaml"]),
        "CacheOrigin": Module(
            .runtime,
            [
                "CacheModel", "CacheLoading", "Threading", "AsyncHTTPClient", "NIOCore", "NIOHTTP1",
                "NIOPosix", "NIOSSL",
            ]),
        "Telemetry": Module(
            .runtime,
            [
                "LibC", "EssentialFoundation",
                "CacheModel", "CacheMetrics", "CacheHTTP", "Threading", "Logging", "NIOCore",
                "NIOHTTP1", "NIOPosix", "ByteCoding", "CacheAccess", "SystemPackage",
                "AsyncHTTPClient", "NIOSSL", "Tracing",
            ]),
        "CacheServer": Module(
            .runtime,
            [
                "LibC",
                "CacheModel", "ByteCoding", "CacheWire", "CacheMemory", "CacheDisk",
                "CacheInvalidation", "CacheLoading", "CacheNodeCore", "Storage", "CacheOrigin",
                "CacheAccess", "AccessControl", "Telemetry", "ZeroMQ", "Threading",
                "CacheConfiguration", "CacheMetrics", "Logging",
            ]),
        "PublisherServer": Module(
            .runtime,
            [
                "EssentialFoundation",
                "CacheModel", "ByteCoding", "CacheWire", "CacheInvalidation", "PublisherCore",
                "CacheAccess", "AccessControl", "ZeroMQ", "Threading", "Storage", "EtcdStorage",
                "SharedLogCore", "CacheConfiguration", "CacheMetrics", "Logging",
            ]),
        "MartletClient": Module(
            .runtime,
            [
                "EssentialFoundation",
                "CacheModel", "ByteCoding", "CacheWire", "CacheClientCore", "ZeroMQ", "Threading",
                "Tracing",
            ]),
        "MartletClientLifecycle": Module(.runtime, ["MartletClient", "ServiceLifecycle"]),
        "LoadTest": Module(
            .runtime,
            [
                "LibC", "EssentialFoundation",
                "CacheModel", "ByteCoding", "CacheWire", "CacheWorkload", "CacheVerification",
                "ZeroMQ", "Threading", "MartletClient", "Histogram",
            ]),
        "GatewayServer": Module(
            .runtime,
            [
                "EssentialFoundation", "CacheModel", "ByteCoding", "CacheAccess", "CacheHTTP",
                "CacheMetrics",
                "GatewayCore", "Telemetry", "AccessControl", "Threading",
                "MartletClient", "Cryptography", "Tracing", "HTTPTypes", "HummingbirdCore",
                "HummingbirdHTTP2", "Logging", "NIOCore", "NIOHTTP1", "NIOHTTPTypes",
                "NIOHTTPTypesHTTP1", "NIOPosix", "NIOSSL", "NIOTLS", "NIOWebSocket",
                "ServiceLifecycle",
            ]),

        "CommandSurface": Module(
            .programs,
            [
                "LibC", "EssentialFoundation", "CacheModel", "ByteCoding", "ArgumentParser",
                "SystemPackage",
            ]),
        "martlet-simulate": Module(
            .programs,
            [
                "EssentialFoundation", "CacheModel", "ByteCoding", "CacheSimulation",
                "CommandSurface", "ArgumentParser",
            ]),
        "martlet": Module(
            .programs,
            [
                "LibC", "EssentialFoundation",
                "CacheModel", "ByteCoding", "CacheWire", "CacheMemory", "CacheDisk",
                "CacheClientCore", "CacheWorkload", "CacheVerification", "CacheConfiguration",
                "CacheServer", "Storage", "PublisherServer", "PublisherCore", "MartletClient",
                "LoadTest", "CommandSurface", "CacheAccess", "AccessControl", "ZeroMQ", "Threading",
                "CPlatform", "GatewayServer", "CacheHTTP", "CacheMetrics", "Telemetry",
                "ConsoleCore", "EtcdStorage", "ArgumentParser", "Histogram", "Logging",
                "ServiceLifecycle", "SystemPackage", "UnixSignals",
            ]),
    ]

    /// Which modules may import a C module; all others use these.
    static func mayImportC(_ cModule: String) -> Set<String> {
        switch cModule {
        case "CZeroMQ": ["ZeroMQ"]
        case "CLibcrypto": ["Cryptography"]
        case "CLibyaml": ["CacheConfiguration"]
        case "CChecksum": ["ByteCoding"]
        case "CMemory": ["CacheMemory"]
        case "CPlatform": ["ZeroMQ", "Threading", "Storage", "martlet"]
        case "LibC":
            [
                "AccessControl", "CacheServer", "CommandSurface", "LoadTest", "Storage",
                "Telemetry", "Threading", "ZeroMQ", "martlet",
            ]
        case "EssentialFoundation":
            [
                "AccessControl", "CommandSurface", "GatewayServer", "LoadTest", "MartletClient",
                "PublisherServer", "Telemetry", "martlet", "martlet-simulate",
            ]
        default: []
        }
    }

    /// What comes with the system and does I/O: for the runtime and programs only.
    static let systemModules: Set<String> = ["Dispatch", "Synchronization", "System"]

    /// What has another name, or other parts, on another system: each for its one module only.
    static let exported: [String: Set<String>] = [
        "LibC": ["Glibc", "Musl", "Darwin"],
        "EssentialFoundation": ["Foundation", "FoundationEssentials"],
    ]

    /// What stands at the top, and nothing else beside it except dot-files.
    ///
    /// `Package.resolved` is written by the package manager and is not ours.
    static let topLevel: Set<String> = [
        "Package.swift", "Package.resolved", "Sources", "Tests", "deploy", "Dockerfile", "docs",
        "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "NOTICE",
    ]
}
