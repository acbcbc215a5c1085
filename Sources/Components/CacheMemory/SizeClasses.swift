/// The sizes of slots: an eighth apart, multiples of eight bytes, and from four pages on of pages.
///
/// A block uses the smallest class that fits it. In a small slot at most an eighth is unused, a
/// sixteenth on average; in a paged slot the pages behind the block are never touched.
struct SizeClasses {
    /// A head, a key of a few bytes and a tiny value.
    static let smallestBytes = 48

    /// Bytes of a slot, ascending.
    let bytes: [Int]
    /// The class for each number of eight-byte units up to the largest class.
    private let classOfUnits: [UInt8]

    /// Slots of at least this size are whole pages.
    let pagedBytesMin: Int

    /// - Parameter largest: maximum bytes of a slot; whole pages.
    init(largest: Int, pageBytes: Int) {
        pagedBytesMin = 4 * pageBytes
        var sizes: [Int] = []
        var size = Self.smallestBytes
        while size < largest {
            sizes.append(size)
            let grain = size < pagedBytesMin ? 8 : pageBytes
            let next = size + max(grain, size / 8)
            size =
                next < pagedBytesMin
                ? next / 8 * 8 : max(next / pageBytes * pageBytes, pagedBytesMin)
        }
        sizes.append(largest)
        precondition(sizes.count < 255, "a class is numbered in a byte")
        bytes = sizes
        var classes: [UInt8] = []
        var current = 0
        for units in 0...largest / 8 {
            while units * 8 > sizes[current] { current += 1 }
            classes.append(UInt8(current))
        }
        classOfUnits = classes
    }

    /// The class of a block; `nil` if it exceeds the largest slot.
    func find(_ blockBytes: Int) -> Int? {
        let units = (blockBytes + 7) / 8
        return units < classOfUnits.count ? Int(classOfUnits[units]) : nil
    }

    /// Bytes charged for a block: its slot, or whole pages.
    func chargedBytes(block: Int, pageBytes: Int) -> Int {
        if let found = find(block), bytes[found] < pagedBytesMin { return bytes[found] }
        return (block + pageBytes - 1) / pageBytes * pageBytes
    }
}
