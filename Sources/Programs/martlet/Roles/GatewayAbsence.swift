#if !Web
    import ArgumentParser
    import CommandSurface
    import EssentialFoundation

    /// `martlet gateway` in a build without it: says how to get it.
    struct GatewayCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "gateway", abstract: "Not in this build: it needs the trait Web.")

        @Argument(parsing: .captureForPassthrough)
        var arguments: [String] = []

        func run() throws { throw CommandFailure(.wrongUsage, BuildFeature.gateway.absence) }
    }

    /// `up` refuses to start a gateway before it comes to any of this.
    enum GatewayPlan {
        static func near(_ size: String?, age: String?) throws(CommandFailure) -> Never? {
            throw CommandFailure(.wrongUsage, BuildFeature.gateway.absence)
        }
    }

    extension UpKeys {
        static func makeToken(in folder: URL, list: URL) throws(CommandFailure) {
            throw CommandFailure(.wrongUsage, BuildFeature.gateway.absence)
        }
    }
#endif
