@testable import ByteCoding

/// JSON of strangers. What is taken is written, and taken again as the same; what is cut off behind
/// any byte is something else.
///
///     bytes
enum JSONFuzz: FuzzTarget {
    static let name = "json"

    static func take(_ input: UnsafeRawBufferPointer) {
        let bytes = [UInt8](input)
        do throws(JSONReader.Damage) {
            let document = try JSONReader.read(bytes)
            let line = document.line
            check(!line.utf8.contains { $0 < 0x20 }, "a document is one line")
            writeAgain(document, line)
            cut(Array(line.utf8))
            check(depth(document) <= JSONReader.depthMax, "a document has its depth")
        } catch {
            check((0...bytes.count).contains(error.offset), "a damage lies in the bytes")
        }
    }

    private static func writeAgain(_ document: JSONDocument, _ line: String) {
        do throws(JSONReader.Damage) {
            let other = try JSONReader.read(Array(line.utf8))
            check(isSame(other, document), "\(line) is taken otherwise")
        } catch {
            fatalError("\(line) cannot be read once it is written: \(error.sentence)")
        }
    }

    /// A decimal so large that doubles between whole numbers are gone is written as a whole one.
    private static func isSame(_ one: JSONDocument, _ other: JSONDocument) -> Bool {
        switch (one, other) {
        case (.integer(let whole), .decimal(let decimal)): Double(whole) == decimal
        case (.unsigned(let whole), .decimal(let decimal)): Double(whole) == decimal
        case (.list(let ones), .list(let others)):
            ones.count == others.count && zip(ones, others).allSatisfy(isSame)
        case (.members(let ones), .members(let others)):
            ones.names == others.names && ones.values.count == others.values.count
                && zip(ones.values, others.values).allSatisfy(isSame)
        default: one == other
        }
    }

    /// A list or an object without its end is none.
    private static func cut(_ line: [UInt8]) {
        guard line.first == UInt8(ascii: "{") || line.first == UInt8(ascii: "[") else { return }
        do throws(JSONReader.Damage) {
            _ = try JSONReader.read(Array(line.dropLast()))
            fatalError("half a document is taken")
        } catch {}
    }

    private static func depth(_ document: JSONDocument) -> Int {
        switch document {
        case .list(let values): 1 + (values.map(depth).max() ?? 0)
        case .members(let members): 1 + (members.values.map(depth).max() ?? 0)
        default: 0
        }
    }
}
