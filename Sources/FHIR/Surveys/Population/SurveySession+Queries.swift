import FHIR
import FHIRPathEngine
import Foundation
import OrderedJSON

/// Searches in the place of expressions.
extension SurveySession {
    /// How many searches a session asks for.
    public static let maximumQueries = 500
    /// How long the URL of a search may be, in bytes.
    static let maximumQueryLength = 4_000

    /// The result of a search as the app gave it: a Bundle, or the resource that was read.
    mutating func result(
        of query: QueryTemplate,
        _ expression: SurveyExpression,
        at node: Int,
        _ scope: inout VariableScope
    ) -> [FHIRPathItem]? {
        guard let url = url(of: query, expression, at: node, &scope) else { return nil }
        return response(to: url).map { $0.isNull ? [] : [FHIRPathItem($0)] }
    }

    /// What a server says to a search; nil where it was not asked yet, which ``openQueries`` then has.
    mutating func response(to url: String) -> JSONValue? {
        if let known = context.queries[url] { return known }
        if openQueries.count < Self.maximumQueries, askedQueries.insert(url).inserted {
            openQueries.append(url)
        }
        return nil
    }

    /// The bundle of the results of a contained batch; an entry without a result is an empty object.
    mutating func results(of source: SourceQueries, _ scope: inout VariableScope) -> [FHIRPathItem] {
        if let known = scope.known[source.name] { return known }
        var entries: [JSONValue] = []
        for query in source.queries {
            let result = query.flatMap { evaluate($0, at: ResponseTree.root, &scope)?.first?.json }
            entries.append(result.map { ["resource": $0] } ?? [:])
        }
        let bundle: JSONValue = [
            "resourceType": "Bundle", "type": "batch-response", "entry": JSONValue(entries),
        ]
        let value = [FHIRPathItem(bundle)]
        scope.known[source.name] = value
        return value
    }

    /// The URL of a search with the values of its expressions. It has none where one of them is empty, or a
    /// reference without an id: without its condition a search would find other people's resources.
    private mutating func url(
        of query: QueryTemplate,
        _ expression: SurveyExpression,
        at node: Int,
        _ scope: inout VariableScope
    ) -> String? {
        var url = ""
        for part in query.parts {
            switch part {
            case .text(let text): url += text
            case .path(let path):
                guard let values = evaluate(path, of: expression, at: node, &scope), !values.isEmpty else {
                    return nil
                }
                let texts = values.map(\.text)
                guard !texts.contains(where: Self.hasNoId) else { return nil }
                url += texts.map(\.encodedForQuery).joined(separator: ",")
            }
            guard url.utf8.count <= Self.maximumQueryLength else {
                report("queryTooLong", "A query is longer than \(Self.maximumQueryLength) bytes.", node)
                return nil
            }
        }
        guard Self.isRelativeSearch(url) else {
            report(
                "queryElsewhere",
                "A query is not relative to the server, as `Observation?code=8302-2` is; it is not made.",
                node
            )
            return nil
        }
        return url
    }

    /// Whether a text is empty, white, or a reference without an id, as `Patient/`. A URL may end with a
    /// slash, as those of some systems do.
    static func hasNoId(_ text: String) -> Bool {
        text.allSatisfy(\.isWhitespace) || text.hasSuffix("/") && !text.contains(":")
    }

    /// Whether a URL is `Type`, `Type/id`, `Type?…` or `Type/$operation?…`, and nothing else.
    static func isRelativeSearch(_ url: String) -> Bool {
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !url.contains("#") else { return false }
        let path = url.prefix { $0 != "?" }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        guard let type = segments.first, type.first?.isUppercase == true, segments.count <= 4 else {
            return false
        }
        return type.allSatisfy { $0.isLetter }
            && segments.dropFirst().allSatisfy { segment in
                !segment.isEmpty && segment != "." && segment != ".." && !segment.contains("%")
                    && !segment.contains(":")
            }
    }
}

extension String {
    /// The text as a value in the query of a URL.
    var encodedForQuery: String {
        addingPercentEncoding(withAllowedCharacters: .urlQueryValue) ?? ""
    }
}

extension CharacterSet {
    /// The unreserved characters of RFC 3986, and those that dates and tokens of FHIR have.
    fileprivate static let urlQueryValue = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/"
    )
}
