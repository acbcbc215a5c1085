/// Faults that are there on purpose: whoever does not find these finds no others. They are not
/// listed; `Tests/Fuzz/run` looks for them first.
let plantedTargets: [any FuzzTarget.Type] = [
    PlantedTrap.self, PlantedOverrun.self, PlantedFalsehood.self,
]

/// Found only by whoever is led by what is reached: nobody guesses four bytes.
enum PlantedTrap: FuzzTarget {
    static let name = "planted-trap"

    static func take(_ input: UnsafeRawBufferPointer) {
        guard input.count > 3, input[0] == 0x4D else { return }
        guard input[1] == 0x4C else { return }
        guard input[2] == 0x21 else { return }
        precondition(input[3] != 0x3F, "planted")
    }
}

/// Found only by the address sanitizer: nothing else notices one byte too many.
enum PlantedOverrun: FuzzTarget {
    static let name = "planted-overrun"

    static func take(_ input: UnsafeRawBufferPointer) {
        guard let base = input.baseAddress, input.count > 3 else { return }
        let beyond = base.load(fromByteOffset: input.count, as: UInt8.self)
        if beyond == 1, input.count == 1 << 20 { print("one") }
    }
}

/// Found only if what a target says of an input is heard.
enum PlantedFalsehood: FuzzTarget {
    static let name = "planted-falsehood"

    static func take(_ input: UnsafeRawBufferPointer) {
        check(input.count < 4, "planted")
    }
}
