/// How long texts may be; a server responds with 500 to longer ones.
enum Limits {
    static func check(label: String, _ call: IndivoCall) throws { try check(label, "a label", 100, call) }

    static func check(_ text: String, _ what: String, _ limit: Int, _ call: IndivoCall) throws {
        // A server counts as its database does, by code points.
        let count = text.unicodeScalars.count
        guard count <= limit else {
            throw IndivoError.argument("\(what) has at most \(limit) characters, this one \(count)", call)
        }
    }
}
