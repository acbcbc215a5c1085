import ArgumentParser
import CommandSurface

/// An argument with a meaning that another one gives: bytes, until it is known to be a text.
struct NameArgument: ExpressibleByArgument, Hashable {
    /// As they were given.
    let bytes: [UInt8]

    init(argument: String) {
        bytes = ArgumentBytes.bytes(argument)
    }

    /// As the parser has it: what ``ArgumentText`` reads.
    var text: String { ArgumentBytes.text(bytes) }
}
