import FHIR
import Foundation
import OrderedJSON

/// The resources that a questionnaire asks to be made from a response.
///
/// ```swift
/// let extraction = survey.extract(from: response)
/// for diagnostic in extraction.diagnostics { print(diagnostic) }
/// try await client.transaction(FHIRTransaction(extraction.bundle))
/// ```
///
/// The three ways of Structured Data Capture work, also together: Observations by the items' codes, resources
/// by the definitions of elements, and resources by templates. Everything in the bundle is valid FHIR R4, but
/// for systems of codings and URLs of extensions that the questionnaire has and that are not absolute, which
/// are told; a resource that would not be is left out with a diagnostic, and is ``unchecked``.
///
/// - A resource with an id is an update (`PUT`), others are new (`POST`). An update must have content. Where
///   the resource to update is given as a launch context, the extracted elements are set in it. Where it is
///   not, an update that lacks an element of its template or definitions is left out, because it would erase
///   that element on the server.
/// - A resource that refers to another one that was not extracted (`urn:uuid:…`) is left out too.
/// - An extraction that would become too large, or whose expressions take too long, gives an empty bundle.
public struct SurveyExtraction: Sendable {
    /// A transaction. Empty where nothing was extracted; ``diagnostics`` say why.
    public let bundle: FHIR.Bundle
    /// The same as the questionnaire makes it, valid or not: with resources and elements that ``bundle``
    /// leaves out because they are not valid FHIR. A server that checks what it stores refuses it; it is for
    /// who completes the resources.
    public let unchecked: FHIR.Bundle
    /// The extractions that could not be done as the questionnaire says, with the item's linkId.
    public let diagnostics: [SurveyDiagnostic]
}

extension Survey {
    /// Makes the resources that the questionnaire asks for from a response.
    ///
    /// - Parameters:
    ///   - response: A response to this questionnaire.
    ///   - context: The time, and the resources that expressions ask for and that are updated.
    ///   - identifiers: Gives the UUIDs of `fullUrl` and of `extractAllocateId`.
    public func extract(
        from response: QuestionnaireResponse,
        context: SurveyContext = SurveyContext(),
        identifiers: () -> UUID = { UUID() }
    ) -> SurveyExtraction {
        extract(from: response, context: context, budget: ExtractionBudget(), identifiers: identifiers)
    }

    func extract(
        from response: QuestionnaireResponse,
        context: SurveyContext,
        budget: ExtractionBudget,
        identifiers: () -> UUID
    ) -> SurveyExtraction {
        withoutActuallyEscaping(identifiers) { identifiers in
            var extractor = Extractor(self, response, context, budget, identifiers)
            return extractor.extraction()
        }
    }
}

/// The limits of an extraction: one budget for everything that it makes.
struct ExtractionBudget {
    /// How many elements all resources may have.
    var elements = 200_000
    /// How many bytes their names and values may have.
    var bytes = 8_000_000
    /// How many steps all expressions may take.
    var steps = 4_000_000

    /// Spends what a value takes with everything in it.
    mutating func spend(_ value: JSONValue) throws(ExtractionStop) {
        var stack = [value]
        while let value = stack.popLast() {
            switch value.kind {
            case .object:
                for member in value.members ?? [] {
                    try spend(bytes: member.name.utf8.count)
                    stack.append(member.value)
                }
            case .array: stack += value.elements.map(Array.init) ?? []
            case .string: try spend(bytes: value.string?.utf8.count ?? 0)
            case .number: try spend(bytes: value.number?.utf8.count ?? 0)
            case .boolean, .null: try spend(bytes: 4)
            }
        }
    }

    /// Spends one element.
    mutating func spend(bytes count: Int) throws(ExtractionStop) {
        elements -= 1
        bytes -= count
        guard elements >= 0, bytes >= 0 else { throw .tooLarge }
    }
}

/// Why an extraction ends with nothing.
enum ExtractionStop: Error {
    case tooLarge, tooSlow

    var code: String {
        switch self {
        case .tooLarge: "extractionTooLarge"
        case .tooSlow: "extractionTooSlow"
        }
    }

    var text: String {
        switch self {
        case .tooLarge: "The resources would be too large; nothing is extracted."
        case .tooSlow: "The expressions of the extraction take too long; nothing is extracted."
        }
    }
}
