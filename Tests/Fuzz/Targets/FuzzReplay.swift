#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// In the place of libFuzzer's `main`, in a debug build: each input that is named, once.
///
///     fuzz --target=NAME FILE…
///
/// Says which before it takes it, so that the last one named is the one that ended the process.
@main
enum FuzzReplay {
    static func main() {
        _ = fuzzerInitialize(nil, nil)
        for path in CommandLine.arguments.dropFirst() where !path.hasPrefix("--") {
            guard let input = bytes(of: path) else {
                print("\(path) cannot be read")
                exit(66)
            }
            print("Running: \(path)")
            fflush(nil)
            _ = input.withUnsafeBufferPointer { fuzzerTestOneInput($0.baseAddress, $0.count) }
        }
    }

    private static func bytes(of path: String) -> [UInt8]? {
        guard let file = fopen(path, "rb") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 64 << 10)
        while case let count = fread(&part, 1, part.count, file), count > 0 {
            bytes += part.prefix(count)
        }
        return ferror(file) == 0 ? bytes : nil
    }
}
