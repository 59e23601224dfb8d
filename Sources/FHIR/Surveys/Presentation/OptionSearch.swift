import FHIR

/// A search among the codes of a value set that is too large to be listed: what an app is asked for while
/// somebody types.
///
/// ``SurveyTerminology`` asks terminology servers; an app with codes of its own gives another
/// function.
public struct OptionSearch: Sendable {
    /// Finds codes. Where it throws, the person is told that the search did not succeed.
    public typealias Function = @concurrent @Sendable (OptionSearch) async throws -> FoundOptions

    /// Shorter texts are not searched for.
    public static let minimumCharacters = 2
    /// Of longer texts the beginning is searched for.
    public static let maximumCharacters = 100
    /// How many codes are asked for.
    public static let maximumOptions = 20

    /// What was typed, without white space around it.
    public let text: String
    /// The canonical URL of the value set, or `#` and the id of ``contained``.
    public let valueSet: String
    /// The value set where the questionnaire contains it.
    public let contained: ValueSet?
    /// The addresses of the terminology servers that the questionnaire prefers, the best first.
    public let servers: [String]
    /// The language of the texts, such as `de-AT`; nil for the server's own.
    public let language: String?

    /// The search for a text; nil where it is too short, or the question's options are not searched.
    package init?(_ text: String, of item: SurveyItem, in survey: Survey, language: String?) {
        guard case .searched(let url)? = item.format.options, let text = Self.searched(text) else {
            return nil
        }
        self.text = text
        valueSet = url
        contained = survey.containedValueSet(url)
        servers = item.terminologyServers
        self.language = language
    }

    /// What is searched for: without white space around it, of a long text the beginning; nil for a short
    /// one.
    package static func searched(_ text: String) -> String? {
        let words = text.prefix(4 * maximumCharacters).split(whereSeparator: \.isWhitespace)
        let text = words.joined(separator: " ")
        return text.count < minimumCharacters ? nil : String(text.prefix(maximumCharacters))
    }
}

/// The codes that a search found.
public struct FoundOptions: Sendable, Hashable {
    /// The options, at most ``OptionSearch/maximumOptions``; each has a code.
    public let options: [SurveyOption]
    /// Whether there are more, which a longer text would find.
    public let hasMore: Bool

    /// Options; those beyond the limit, and those without a code, are left out.
    public init(_ options: [SurveyOption], hasMore: Bool = false) {
        let coded = options.filter { $0.value.coding?.code != nil }
        self.options = Array(coded.prefix(OptionSearch.maximumOptions))
        self.hasMore = hasMore || coded.count > self.options.count
    }

    /// What an expansion lists (`ValueSet/$expand`). Codes and texts that are too long for a code are left
    /// out.
    public init(_ expansion: ValueSet) {
        // Servers may send more than they are asked for.
        let all = ValueSetReader.options(of: expansion, limit: 4 * OptionSearch.maximumOptions)
        let usable = all.filter { option in
            guard let coding = option.value.coding else { return false }
            return [coding.code, coding.display, coding.system?.rawValue].allSatisfy {
                $0?.utf8.count ?? 0 <= 2_000
            }
        }
        let total = expansion.tree.member("expansion")?.member("total")?.integer ?? 0
        self.init(usable, hasMore: total > all.count)
    }
}
