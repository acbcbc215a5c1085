/// The one form of figures that a trace's faults need; the door has the others.
enum FigureText {
    /// `1 key`, `2 keys`.
    static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(number == 1 ? noun : noun + "s")"
    }
}
