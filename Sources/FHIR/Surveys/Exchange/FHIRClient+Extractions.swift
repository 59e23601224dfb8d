import FHIR
import FHIRClient
import FHIRTables
import Foundation
import IndivoBase
import OrderedJSON

/// What became of a response that was sent.
public struct SurveySubmission: Sendable {
    /// What was extracted, with what could not be.
    public let extraction: SurveyExtraction
    /// What became of each resource: of the response first, where it is stored, then of those that were
    /// extracted.
    public let results: [FHIREntryResult]
}

extension FHIRClient {
    /// Extracts what a survey asks for from a response, and stores it, with the response itself, as one
    /// transaction: all of it or nothing.
    ///
    /// As in ``send(_:of:)``, nothing is stored twice. Extracted Observations refer to the stored response.
    ///
    /// - Parameters:
    ///   - context: The time, and the resources that expressions ask for and that are updated.
    ///   - storesResponse: Whether the response itself is stored; the server gives it an id.
    /// - Throws: `FHIRClientError`; then nothing was stored, unless it says that it may have been.
    @discardableResult
    public func submit(
        _ response: QuestionnaireResponse,
        of survey: Survey,
        context: SurveyContext = SurveyContext(),
        storesResponse: Bool = true
    ) async throws -> SurveySubmission {
        var response = response
        response.tree["id"] = nil
        let key = response.contentKey
        let fullURL = Self.uuid(key, of: .max)
        // By this id the extracted resources refer to the response.
        let id = String(fullURL.dropFirst("urn:uuid:".count))
        var named = response
        if storesResponse { named.tree["id"] = JSONValue(id) }
        let extraction = survey.extract(from: named, context: context)
        var bundle = extraction.bundle
        for index in bundle.entry.indices {
            bundle.entry[index].identify(by: key, index)
            guard storesResponse, let tree = bundle.entry[index].resource?.tree else { continue }
            let linked = tree.replacing("QuestionnaireResponse/\(id)", with: fullURL)
            bundle.entry[index].resource = AnyResource(tree: linked)
        }
        if storesResponse {
            var entry = FHIRBundle.Entry()
            entry.fullUrl = FHIRURI(fullURL)
            entry.resource = AnyResource(tree: response.tree)
            entry.request = FHIRBundle.Entry.Request(method: .post, url: "QuestionnaireResponse")
            entry.identify(by: key, as: .max)
            bundle.entry.insert(entry, at: 0)
        }
        guard !bundle.entry.isEmpty else { return SurveySubmission(extraction: extraction, results: []) }
        let results = try await transaction(FHIRTransaction(bundle))
        return SurveySubmission(extraction: extraction, results: results)
    }

    fileprivate static func uuid(_ key: [UInt8], of number: UInt64) -> String {
        let number = withUnsafeBytes(of: number.bigEndian) { Array($0) }
        return "urn:uuid:" + DigestUUID.text(SHA256Sum.hash(key + number), version: 8)
    }

    /// Stores what a survey extracted, as one transaction: all of it or nothing.
    ///
    /// Each new resource gets an identifier that is computed from the response, and is created only where
    /// none has it yet (`ifNoneExist`). So the same response can be sent again, after a lost response too,
    /// and nothing is stored twice.
    ///
    /// - Returns: What became of each resource, in the order of the bundle; empty where nothing was
    /// extracted. - Throws: `FHIRClientError`; then nothing was stored, unless it says that it may have been.
    @discardableResult
    public func send(_ extraction: SurveyExtraction, of response: QuestionnaireResponse) async throws
        -> [FHIREntryResult]
    {
        var bundle = extraction.bundle
        guard !bundle.entry.isEmpty else { return [] }
        let key = response.contentKey
        for index in bundle.entry.indices { bundle.entry[index].identify(by: key, index) }
        return try await transaction(FHIRTransaction(bundle))
    }
}

extension QuestionnaireResponse {
    /// A digest of what was answered, about whom and when; the same for each copy of the response.
    fileprivate var contentKey: [UInt8] {
        var content = tree
        for name in ["id", "meta", "status", "text"] { content[name] = nil }
        return SHA256Sum.hash(content.text())
    }
}

extension FHIRBundle.Entry {
    private static let identifierSystem = "urn:ietf:rfc:3986"

    /// Gives a new resource an identifier, and the condition that none with it is stored.
    fileprivate mutating func identify(by key: [UInt8], _ index: Int) {
        identify(by: key, as: UInt64(index))
    }

    fileprivate mutating func identify(by key: [UInt8], as number: UInt64) {
        guard request?.method == .post, request?.ifNoneExist == nil, var tree = resource?.tree else { return }
        let value = FHIRClient.uuid(key, of: number)
        let type = tree.resourceType ?? ""
        let element = Definitions.r4.type(named: type)?.element(named: "identifier")
        let parameter: String
        if let element, element.isList || tree["identifier"] == nil {
            let identifier: JSONValue = [
                "system": JSONValue(Self.identifierSystem), "value": JSONValue(value),
            ]
            let known = tree.elements(of: "identifier")
            tree["identifier"] = element.isList ? JSONValue(known + [identifier]) : identifier
            parameter = "identifier"
        } else {
            var meta = tree["meta"] ?? [:]
            let tags = meta.elements(of: "tag")
            let tag: JSONValue = ["system": JSONValue(Self.identifierSystem), "code": JSONValue(value)]
            meta["tag"] = JSONValue(tags + [tag])
            tree["meta"] = meta
            parameter = "_tag"
        }
        resource = AnyResource(tree: tree)
        request?.ifNoneExist = FHIRSearch([.raw(parameter, "\(Self.identifierSystem)|\(value)")]).query
    }
}

extension JSONValue {
    /// The value with other references in place of those with a text.
    fileprivate func replacing(_ reference: String, with other: String) -> JSONValue {
        if let elements { return JSONValue(elements.map { $0.replacing(reference, with: other) }) }
        guard let members else { return self }
        return JSONValue(
            members: members.map { member in
                if member.name == "reference", member.value.string == reference {
                    return JSONMember(name: "reference", value: JSONValue(other))
                }
                return JSONMember(name: member.name, value: member.value.replacing(reference, with: other))
            }
        )
    }
}
