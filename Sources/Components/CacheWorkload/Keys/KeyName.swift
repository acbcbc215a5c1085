/// The bytes of a key: `k`, zeros, and the key's number in its last 15 digits.
///
///     k000000000000042                    16 bytes
///     k0000000000000000000000000042       28 bytes
public enum KeyName {
    /// Shortest key: it has room for all numbers.
    @usableFromInline package static let bytesMin = 16
    /// Greatest number that a key can have.
    package static let numberMax = 999_999_999_999_999

    @usableFromInline package static let zeros: UInt64 = 0x3030_3030_3030_3030
    @usableFromInline package static let half = 100_000_000

    /// Writes the key of that number into the whole of `bytes`, at least ``bytesMin``.
    ///
    /// - Complexity: O(bytes); about 5 ns for 16.
    @inlinable
    package static func write(_ number: Int, into bytes: UnsafeMutableRawBufferPointer) {
        precondition(bytes.count >= bytesMin, "a key has room for its number")
        let digits = bytes.count &- bytesMin
        for index in 0..<digits { bytes[index] = UInt8(ascii: "0") }
        bytes.storeBytes(
            of: eightDigits(number / half), toByteOffset: digits, as: UInt64.self)
        bytes.storeBytes(
            of: eightDigits(number % half), toByteOffset: digits &+ 8, as: UInt64.self)
        bytes[0] = UInt8(ascii: "k")
    }

    /// Greatest number that a key of a verified run can have.
    package static let verifiedNumberMax = 999_999_999

    /// Writes the key of that number in a verified run into the whole of `bytes`: `v`, the run's
    /// stamp in six hexadecimal digits, zeros, and the number in the last nine digits.
    ///
    ///     v0abcde000000042                 16 bytes, of the run 0abcde
    ///
    /// No other run and no other client asks for the keys of a run.
    ///
    /// - Parameter stamp: 24 bits.
    /// - Complexity: O(bytes).
    package static func write(
        _ number: Int, ofRun stamp: UInt32, into bytes: UnsafeMutableRawBufferPointer
    ) {
        precondition(
            number <= verifiedNumberMax && stamp < 1 << 24, "run and number have room side by side")
        write(number, into: bytes)
        bytes[0] = UInt8(ascii: "v")
        for place in 1...6 {
            let digit = UInt8(truncatingIfNeeded: stamp >> UInt32(24 - 4 * place)) & 0xF
            bytes[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
        }
    }

    /// The number of a key; `nil` if it is not one of our keys.
    package static func number(of bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count >= bytesMin, bytes[0] == UInt8(ascii: "k") else { return nil }
        var number = 0
        for (index, byte) in bytes.dropFirst().enumerated() {
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10, digit == 0 || index >= bytes.count - bytesMin else { return nil }
            number = number * 10 + Int(digit)
        }
        return number
    }

    /// A number below 10⁸ as its eight digits, the first in the lowest byte: halves, then quarters,
    /// then eighths, all lanes of a step at once.
    @inlinable
    package static func eightDigits(_ number: Int) -> UInt64 {
        let number = UInt64(truncatingIfNeeded: number)
        let fours = (number / 10_000) | (number % 10_000) << 32
        // ÷ 100 is × 10 486 ÷ 2²⁰ below 10⁴, and ÷ 10 is × 103 ÷ 2¹⁰ below 100.
        let hundreds = (fours &* 10_486) >> 20 & 0x0000_007F_0000_007F
        let twos = hundreds | (fours &- hundreds &* 100) << 16
        let tens = (twos &* 103) >> 10 & 0x000F_000F_000F_000F
        let ones = tens | (twos &- tens &* 10) << 8
        return (ones | zeros).littleEndian
    }
}
