import ByteCoding
import CacheModel
import CommandSurface

/// Which keys a `touch` found.
struct TouchReport {
    var lines: [(key: CacheKey, isTouched: Bool)]

    func output(_ style: OutputStyle) -> CommandOutput {
        var output = CommandOutput()
        for (key, isTouched) in lines {
            let shown = HarmlessText.line(key.bytes)
            if style == .json {
                let members = JSONDocument.members("key", key.bytes)
                output.writeLine(.object(members + [("touched", .bool(isTouched))]))
            } else if isTouched {
                output.writeLine("touched \(shown)")
            }
            if !isTouched { output.complain("not found: \(shown)", .notFound) }
        }
        return output
    }
}
