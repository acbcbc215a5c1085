import CPlatform
import CommandSurface
import LibC

extension MartletCommand {
    static func main() async {
        martlet_streams_complete()
        if let name = unreadableVariable() {
            Console.complain("\(name) is not UTF-8; give a value that is", from: "martlet")
            exit(ExitStatus.wrongUsage.rawValue)
        }
        await CommandProgram.run(self, completed(ArgumentBytes.ofProcess))
    }

    /// The first variable of ours with a value that is not UTF-8: what is read of it would be
    /// something else, the name of another file.
    private static func unreadableVariable() -> String? {
        guard var place = martlet_environment() else { return nil }
        while let entry = place.pointee {
            let bytes = ArgumentBytes.bytes(at: entry)
            if bytes.starts(with: "MARTLET_".utf8), String(validating: bytes, as: UTF8.self) == nil
            {
                return HarmlessText.line(Array(bytes.prefix { $0 != UInt8(ascii: "=") }))
            }
            place += 1
        }
        return nil
    }

    /// Gives `--respawn` its value where it was left out, which the parser knows no way to say.
    static func completed(_ arguments: [String]) -> [String] {
        arguments.enumerated().map { index, argument in
            let next = index + 1 < arguments.count ? arguments[index + 1] : "-"
            return argument == "--respawn" && next.hasPrefix("-") ? "--respawn=1s" : argument
        }
    }
}
