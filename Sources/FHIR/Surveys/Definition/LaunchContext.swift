import OrderedJSON

/// A resource that the app gives at the start, and that expressions refer to by name. (SDC `launchContext`)
public struct LaunchContext: Sendable, Hashable {
    /// The name, such as `patient`, `user` or `encounter`.
    public let name: String
    /// The types that the resource may have, such as `Patient`.
    public let types: [String]
    /// What it is for, as the questionnaire says.
    public let explanation: String?

    /// The context of an extension; nil without a name.
    init?(_ tree: JSONValue) {
        let parts = ExtensionList(tree)
        let value = parts.value("name")
        let id = value?.string ?? value?.member("code")?.string ?? value?.member("id")?.string
        guard let id else { return nil }
        name = id
        types = parts.values("type").compactMap(\.string)
        explanation = parts.value("description")?.string
    }
}
