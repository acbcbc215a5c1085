import Foundation

/// The house plan: which module stands on which floor and what it may import.
///
/// This is the second copy of what `Package.swift` says, on purpose: a new arrow between two
/// modules has to be drawn twice, and the second time here, next to the rule it has to keep.
enum House {
    /// Each floor has one rule. Below the waterline – words, rooms, minds – nothing touches the
    /// world; shells touch it; the door reads arguments and builds one shell.
    enum Floor: Int, Comparable {
        case cellar = -1
        case words, rooms, minds, shells, door

        static func < (left: Floor, right: Floor) -> Bool { left.rawValue < right.rawValue }

        /// No clock, socket, file, thread, lock, task, dice or Foundation on this floor.
        var isBelowTheWaterline: Bool { self < .shells && self > .cellar }
    }

    struct Module {
        let floor: Floor
        let mayImport: Set<String>
        /// Whether it touches nothing, whatever its floor: a shell may be made up.
        let touchesNothing: Bool

        init(_ floor: Floor, _ mayImport: Set<String>, touchesNothing: Bool = false) {
            self.floor = floor
            self.mayImport = mayImport
            self.touchesNothing = touchesNothing || floor.isBelowTheWaterline
        }
    }

    /// A new arrow needs a decision record (docs/decisions); one upwards or sideways on floors
    /// 0 to 2 is refused.
    static let modules: [String: Module] = [
        "CZeroMQ": Module(.cellar, []),
        "CLibcrypto": Module(.cellar, []),
        "CLibyaml": Module(.cellar, []),
        "CChecksum": Module(.cellar, []),
        "CMemory": Module(.cellar, []),
        "CPlatform": Module(.cellar, []),

        "CacheModel": Module(.words, []),
        "ByteCoding": Module(.words, ["CChecksum"]),

        "CacheWire": Module(.rooms, ["CacheModel", "ByteCoding"]),
        "CacheMemory": Module(.rooms, ["CacheModel", "ByteCoding", "CMemory"]),
        "CacheDisk": Module(.rooms, ["CacheModel", "ByteCoding"]),
        "CacheInvalidation": Module(.rooms, ["CacheModel", "ByteCoding", "DequeModule"]),

        "CacheLoading": Module(
            .rooms, ["CacheModel", "ByteCoding", "HeapModule"]),
        "CacheVerification": Module(.rooms, ["CacheModel", "ByteCoding"]),
        "CacheWorkload": Module(.rooms, ["CacheModel", "ByteCoding"]),
        "CacheAccess": Module(.rooms, ["CacheModel", "ByteCoding"]),
        "CacheHTTP": Module(.rooms, ["CacheModel", "ByteCoding"]),
        "CacheMetrics": Module(.rooms, ["CacheModel"]),

        "CacheNodeCore": Module(
            .minds,
            [
                "CacheModel", "ByteCoding", "CacheWire", "CacheMemory", "CacheDisk",
                "CacheInvalidation", "CacheLoading", "CacheAccess", "CacheMetrics",
                "HeapModule",
            ]),
        "PublisherCore": Module(
            .minds,
            [
                "CacheModel", "ByteCoding", "CacheWire", "CacheInvalidation", "CacheAccess",
                "CacheMetrics", "DequeModule", "HeapModule",
            ]),
        "CacheClientCore": Module(.minds, ["CacheModel", "ByteCoding", "CacheWire"]),
        "PushCore": Module(
            .minds, ["CacheModel", "ByteCoding", "CacheAccess", "CacheHTTP", "DequeModule"]),
        "NearCore": Module(.minds, ["CacheModel", "CacheHTTP", "DequeModule"]),
        "ConsoleCore": Module(.minds, ["CacheModel"]),
        "SpanCore": Module(.minds, ["CacheModel", "CacheHTTP", "DequeModule"]),

        "Cryptography": Module(.shells, ["CLibcrypto"]),
        "ZeroMQ": Module(.shells, ["ByteCoding", "CZeroMQ", "CPlatform"]),
        "Threading": Module(.shells, ["CacheModel", "ZeroMQ", "CPlatform"]),
        "AccessControl": Module(
            .shells,
            [
                "CacheModel", "ByteCoding", "CacheAccess", "ZeroMQ", "Threading", "Logging",
                "SystemPackage",
            ]),
        "LogFiles": Module(
            .shells,
            [
                "CacheModel", "ByteCoding", "CacheWire", "CacheInvalidation", "ZeroMQ",
                "Threading", "CPlatform",
            ]),
        "CacheFiles": Module(
            .shells, ["CacheModel", "CacheDisk", "ZeroMQ", "Threading", "CPlatform"]),
        "CacheConfiguration": Module(
            .shells, ["CacheModel", "ByteCoding", "CacheLoading", "CacheWorkload", "CLibyaml"]),
        "CacheOrigin": Module(
            .shells,
            [
                "CacheModel", "CacheLoading", "Threading", "AsyncHTTPClient", "NIOCore",
                "NIOHTTP1", "NIOPosix", "NIOSSL", "Subprocess", "SystemPackage",
            ]),
        "HealthServer": Module(
            .shells,
            [
                "CacheModel", "CacheMetrics", "CacheHTTP", "Threading", "Logging", "NIOCore",
                "NIOHTTP1", "NIOPosix",
            ]),
        "OperationLog": Module(
            .shells,
            [
                "CacheModel", "ByteCoding", "CacheAccess", "Threading", "Logging", "SystemPackage",
            ]),
        "SpanExport": Module(
            .shells,
            [
                "CacheModel", "SpanCore", "Threading", "AsyncHTTPClient", "Logging", "NIOCore",
                "NIOHTTP1", "NIOPosix", "NIOSSL", "Tracing",
            ]),
        "CacheServer": Module(
            .shells,
            [
                "CacheModel", "ByteCoding", "CacheWire", "CacheMemory", "CacheDisk",
                "CacheInvalidation", "CacheLoading", "CacheNodeCore", "CacheFiles", "LogFiles",
                "CacheOrigin", "CacheAccess", "AccessControl", "OperationLog", "ZeroMQ",
                "Threading", "CacheConfiguration", "CacheMetrics", "SpanCore", "SpanExport",
                "Logging",
            ]),
        "PublisherServer": Module(
            .shells,
            [
                "CacheModel", "ByteCoding", "CacheWire", "CacheInvalidation", "PublisherCore",
                "CacheAccess", "AccessControl", "ZeroMQ", "Threading", "LogFiles",
                "CacheConfiguration", "CacheMetrics", "Logging",
            ]),
        "MartletClient": Module(
            .shells,
            [
                "CacheModel", "ByteCoding", "CacheWire", "CacheLoading", "CacheClientCore",
                "ZeroMQ", "Threading", "Tracing",
            ]),
        "LoadTest": Module(
            .shells,
            [
                "CacheModel", "ByteCoding", "CacheWire", "CacheWorkload", "CacheVerification",
                "ZeroMQ", "Threading", "MartletClient", "Histogram",
            ]),
        "GatewayServer": Module(
            .shells,
            [
                "CacheModel", "ByteCoding", "CacheAccess", "CacheHTTP", "CacheMetrics", "PushCore",
                "NearCore", "SpanCore", "SpanExport", "AccessControl", "OperationLog", "Threading",
                "HealthServer", "MartletClient", "Cryptography", "Tracing", "HTTPTypes",
                "HummingbirdCore", "HummingbirdHTTP2", "Logging", "NIOCore", "NIOHTTP1",
                "NIOHTTPTypes",
                "NIOHTTPTypesHTTP1", "NIOPosix", "NIOSSL", "NIOTLS", "NIOWebSocket",
                "ServiceLifecycle",
            ]),
        "CacheSimulation": Module(
            .shells,
            [
                "CacheModel", "ByteCoding", "CacheWire", "CacheMemory", "CacheInvalidation",
                "CacheDisk", "CacheLoading", "CacheNodeCore", "PublisherCore",
            ], touchesNothing: true),

        "CommandSurface": Module(
            .door, ["CacheModel", "CacheHTTP", "ArgumentParser", "SystemPackage"]),
        "martlet-simulate": Module(
            .door,
            ["CacheModel", "CacheHTTP", "CacheSimulation", "CommandSurface", "ArgumentParser"]),
        "martlet": Module(
            .door,
            [
                "CacheModel", "ByteCoding", "CacheWire", "CacheMemory", "CacheDisk",
                "CacheClientCore", "CacheWorkload", "CacheVerification", "CacheConfiguration",
                "CacheServer", "CacheFiles", "LogFiles", "PublisherServer", "MartletClient",
                "LoadTest", "CommandSurface", "CacheAccess", "AccessControl", "ZeroMQ",
                "Threading", "CPlatform", "GatewayServer", "CacheHTTP", "CacheMetrics",
                "HealthServer", "ConsoleCore", "OperationLog", "SpanCore", "SpanExport",
                "ArgumentParser", "Histogram", "Logging", "ServiceLifecycle", "SystemPackage",
                "UnixSignals",
            ]),
    ]

    /// Who may name a C module of ours; everybody else goes through these.
    static func mayImportC(_ cModule: String) -> Set<String> {
        switch cModule {
        case "CZeroMQ": ["ZeroMQ"]
        case "CLibcrypto": ["Cryptography"]
        case "CLibyaml": ["CacheConfiguration"]
        case "CChecksum": ["ByteCoding"]
        case "CMemory": ["CacheMemory"]
        case "CPlatform": ["ZeroMQ", "Threading", "LogFiles", "CacheFiles", "martlet"]
        default: []
        }
    }

    /// What comes with the system and touches the world: for shells and the door only.
    static let systemModules: Set<String> = [
        "Foundation", "FoundationEssentials", "Glibc", "Musl", "Darwin", "Dispatch",
        "Synchronization", "System",
    ]

    /// What stands at the top, and nothing else beside it except dot-files.
    ///
    /// `Package.resolved` is written by the package manager and is not ours.
    static let topLevel: Set<String> = [
        "Package.swift", "Package.resolved", "Sources", "Tests", "deploy", "Dockerfile", "docs",
        "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "NOTICE",
    ]
}
