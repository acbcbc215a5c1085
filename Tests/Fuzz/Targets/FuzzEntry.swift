#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What libFuzzer calls. Its `main` stands in the sanitizer's library.
///
///     fuzz --target=NAME [libFuzzer's options] [FILE or FOLDER…]
///     fuzz --list
///
/// libFuzzer passes over what begins with two hyphens, and hands it to the processes that it
/// starts, as when it merges a corpus.
private enum FuzzEntry {
    static let target = chosen()

    private static func chosen() -> any FuzzTarget.Type {
        let prefix = "--target="
        let name = CommandLine.arguments.first { $0.hasPrefix(prefix) }?.dropFirst(prefix.count)
        let all = fuzzTargets + plantedTargets
        if let found = all.first(where: { $0.name == name ?? "" }) { return found }
        for target in fuzzTargets { print(target.name) }
        exit(CommandLine.arguments.contains("--list") ? 0 : 64)
    }
}

/// Called once, before the first input.
@c(LLVMFuzzerInitialize)
public func fuzzerInitialize(
    _ argumentCount: UnsafeMutablePointer<CInt>?,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> CInt {
    _ = FuzzEntry.target
    return 0
}

/// Called with each input, which is gone after the call.
@c(LLVMFuzzerTestOneInput)
public func fuzzerTestOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    FuzzEntry.target.take(UnsafeRawBufferPointer(start: bytes, count: count))
    return 0
}
