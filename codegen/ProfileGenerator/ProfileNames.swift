import SwiftGenerator

/// The names of views: those of the profiles, without `Profile` at the end. What is called as a type of FHIR
/// or Swift keeps it; the second of two that are called alike gets a number.
struct ProfileNames {
    /// By the URLs of the profiles.
    private(set) var views: [String: String] = [:]
    private(set) var remarks: [String] = []
    private let asked: [String: String]
    /// In lower case: names are those of files, too, and a disk may ignore it.
    private var taken: Set<String>

    /// The names of types in views, in lower case, too.
    private var nested: Set<String> = []

    init(asked: [String: String]) {
        self.asked = asked
        taken = Set(asked.values.map { $0.lowercased() })
    }

    /// Those of all views that are known by now.
    var all: Set<String> { Set(views.values).union(asked.values) }

    /// Takes the name of a type in a view, which would hide a view that is called so.
    mutating func take(nested name: String) { nested.insert(name.lowercased()) }

    mutating func choose(_ url: String, _ name: String) {
        if let name = asked[url] {
            views[url] = name
            return
        }
        var plain = SwiftSpelling.upperCamel(name, fallback: "View")
        if plain.hasSuffix("Profile"), plain != "Profile" { plain.removeLast("Profile".count) }
        while ReservedViewNames.views.contains(plain) { plain += "Profile" }
        var choice = plain
        var number = 1
        while nested.contains(choice.lowercased()) || !taken.insert(choice.lowercased()).inserted {
            number += 1
            choice = "\(plain)\(number)"
        }
        if number > 1 {
            remarks.append(
                "\(url): another view is called \(plain): this one is \(choice); --name gives a better"
            )
        }
        views[url] = choice
    }
}
