import IndivoBase

extension Spelling {
    /// `; did you mean …?`, or nothing.
    package static func question(about name: String, among names: [String]) -> String {
        let near = near(to: name, among: names, completing: true)
        return near.isEmpty ? "" : "; did you mean \(near.joined(separator: " or "))?"
    }
}
