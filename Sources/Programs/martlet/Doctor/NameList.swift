/// Names in a sentence, the first of them and how many more there are.
enum NameList {
    static func text(_ names: [String]) -> String {
        let shown = names.prefix(DoctorLimits.namesMax).joined(separator: ", ")
        let rest = names.count - DoctorLimits.namesMax
        return rest > 0 ? "\(shown) and \(rest) more" : shown
    }
}
