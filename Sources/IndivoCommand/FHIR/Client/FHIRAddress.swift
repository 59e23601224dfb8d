import ArgumentParser

/// `Patient`, `Patient/7` or `Patient/7/_history/2`, as an argument.
struct FHIRAddress: ExpressibleByArgument {
    let type: String
    let id: String?
    let version: String?

    init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard [1, 2, 4].contains(parts.count), parts.allSatisfy({ !$0.isEmpty }), parts.count < 4 || parts[2] == "_history",
            parts[0].first?.isLetter == true
        else { return nil }
        type = parts[0]
        id = parts.count > 1 ? parts[1] : nil
        version = parts.count == 4 ? parts[3] : nil
    }

    /// Its id.
    /// - Throws: ``CommandFailure`` where it has none.
    func requiredID() throws -> String {
        guard let id else { throw CommandFailure("name the resource by type and id, as in \(type)/7") }
        return id
    }
}
