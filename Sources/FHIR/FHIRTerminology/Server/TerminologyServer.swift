import FHIR
import FHIRClient
import Foundation
import OrderedJSON
import Synchronization

/// A terminology server, which is asked about what is not at hand: LOINC, SNOMED CT, RxNorm.
///
/// ```swift
/// let server = TerminologyServer(client, cache: folder.appending(path: "codes.jsonl"))
/// try await server.validate("8867-4", system: "http://loinc.org", in: valueSet)  // as the server says
/// ```
/// Codes that are at hand never leave the device, and an answer is asked for once: what the server said is
/// kept in a file. Only codes are sent, and nothing of whom they are about.
///
/// What cannot wait, such as the validation of a resource, calls ``known(_:)``. Codes that were not checked
/// then are asked about by ``ask(progress:)``, after which another validation knows them.
public final class TerminologyServer: Sendable {
    /// The most codes that wait for ``ask(progress:)``.
    public static let maximumOpenQuestions = 10_000

    private let client: FHIRClient
    private let terminology: Terminology
    private let now: @Sendable () -> Date
    private let state: Mutex<State>

    private struct State {
        var cache: AnswerCache
        var open: Set<CodeQuestion> = []
    }

    /// - Parameters:
    ///   - client: The server.
    ///   - terminology: What is at hand.
    ///   - cache: The file that answers are kept in; nil for only in memory.
    ///   - maximumAge: After how many seconds an answer is asked for again.
    ///   - now: The clock.
    public init(
        _ client: FHIRClient,
        terminology: Terminology = .r4,
        cache: URL? = nil,
        maximumAge: Double = 30 * 86_400,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.client = client
        self.terminology = terminology
        self.now = now
        let cache = AnswerCache(file: cache, maximumAge: maximumAge, now: now().timeIntervalSince1970)
        state = Mutex(State(cache: cache))
    }

    /// Whether a code is in a value set, or a code of its system, as far as it is known without asking the
    /// server.
    public func known(_ question: CodeQuestion) -> CodeValidation {
        let local = local(question)
        guard case .notChecked = local else { return local }
        let now = now().timeIntervalSince1970
        return state.withLock { state in
            if let answer = state.cache.answer(question, now: now) { return Self.validation(answer) }
            if state.open.count < Self.maximumOpenQuestions { state.open.insert(question) }
            return local
        }
    }

    /// How many codes wait for ``ask(progress:)``.
    public var openQuestions: Int { state.withLock { $0.open.count } }

    /// Asks the server about the codes that ``known(_:)`` did not know.
    ///
    /// - Parameter progress: Is told how many are done, and of how many.
    /// - Throws: `FHIRClientError`; the codes that were not asked about wait on. What the file system says,
    ///   where an answer cannot be kept.
    public func ask(progress: (@Sendable (_ done: Int, _ all: Int) -> Void)? = nil) async throws {
        let questions = state.withLock { $0.open }
        for (index, question) in questions.enumerated() {
            _ = try await validate(question.code, system: question.system, in: question.valueSet)
            state.withLock { _ = $0.open.remove(question) }
            progress?(index + 1, questions.count)
        }
    }

    /// Whether a code is in a value set, or without one a code of its system. The server is asked where
    /// nobody knows.
    ///
    /// - Returns: ``/FHIR/CodeValidation/notChecked(reason:)`` where the server does not know either.
    /// - Throws: `FHIRClientError` where there is no response, and what the file system says where an answer
    ///   cannot be kept.
    public func validate(
        _ code: String,
        system: String? = nil,
        in valueSet: String? = nil
    ) async throws -> CodeValidation {
        let question = CodeQuestion(code, system: system, in: valueSet)
        let local = local(question)
        guard case .notChecked(let reason) = local else { return local }
        let time = now().timeIntervalSince1970
        if let answer = state.withLock({ $0.cache.answer(question, now: time) }) {
            return Self.validation(answer)
        }
        let type = valueSet == nil ? "CodeSystem" : "ValueSet"
        let result: AnyResource?
        do {
            result = try await client.operation(
                "validate-code",
                on: .type(type),
                Self.parameters(question),
                changesState: false
            )
        } catch let error as FHIRClientError {
            switch error.reason {
            case .invalid, .notFound, .notSupported:
                return .notChecked(reason: "\(reason), and the server does not know it")
            default: throw error
            }
        }
        guard let answer = Self.answer(result, at: time) else {
            return .notChecked(reason: "\(reason), and the server does not know it")
        }
        try state.withLock { try $0.cache.keep(answer, question) }
        return Self.validation(answer)
    }

    /// The codes of a value set: those at hand, else the server's page.
    ///
    /// - Throws: `FHIRClientError`.
    public func expand(
        _ valueSet: String,
        filter: String? = nil,
        offset: Int = 0,
        count: Int? = nil
    ) async throws -> ValueSet {
        var options = ExpansionOptions()
        options.offset = offset
        options.count = count
        if let expansion = try? terminology.expand(valueSet, filter: filter, options: options) {
            let identifier = "urn:uuid:\(UUID().uuidString.lowercased())"
            return expansion.resource(identifier: identifier, timestamp: FHIRDateTime(now()))
        }
        var parameters = Parameters()
        parameters.add("url", .uri(FHIRURI(valueSet)))
        if let filter { parameters.add("filter", .string(filter)) }
        if offset > 0 { parameters.add("offset", .integer(offset)) }
        if let count { parameters.add("count", .integer(count)) }
        let result = try await client.operation(
            "expand",
            on: .type("ValueSet"),
            parameters,
            changesState: false
        )
        guard let expansion = result?.as(ValueSet.self) else {
            throw TerminologyError.unknownValueSet(valueSet)
        }
        return expansion
    }

    // MARK: Questions and answers

    private func local(_ question: CodeQuestion) -> CodeValidation {
        if let valueSet = question.valueSet {
            return terminology.validate(question.code, system: question.system, in: valueSet)
        }
        guard let system = question.system else { return .notChecked(reason: "the code has no system") }
        return terminology.validate(question.code, of: system)
    }

    private static func validation(_ answer: AnswerCache.Answer) -> CodeValidation {
        answer.isValid
            ? .valid(display: answer.text)
            : .invalid(reason: answer.text ?? "the terminology server does not have it")
    }

    private static func parameters(_ question: CodeQuestion) -> Parameters {
        var parameters = Parameters()
        if let url = question.valueSet ?? question.system { parameters.add("url", .uri(FHIRURI(url))) }
        if let system = question.system, question.valueSet != nil {
            parameters.add("system", .uri(FHIRURI(system)))
        }
        parameters.add("code", .code(question.code))
        return parameters
    }

    /// - Returns: nil where the server says that it does not know the code system.
    private static func answer(_ result: AnyResource?, at time: Double) -> AnswerCache.Answer? {
        let list = result?.as(Parameters.self)?.tree.member("parameter")?.elements ?? []
        func value(_ name: String) -> JSONValue? {
            list.first { $0.member("name")?.string == name }?.members?.first { $0.name.hasPrefix("value") }?
                .value
        }
        // How servers say that a code was not found because its system was not.
        let unknown = ["x-caused-by-unknown-system", "x-unknown-system"]
        guard let isValid = value("result")?.boolean, unknown.allSatisfy({ value($0) == nil }) else {
            return nil
        }
        return AnswerCache.Answer(
            isValid: isValid,
            text: value(isValid ? "display" : "message")?.string,
            at: time
        )
    }
}

extension Parameters {
    fileprivate mutating func add(_ name: String, _ value: AnyValue) {
        var parameter = Parameter(name: name)
        parameter.value = value
        self.parameter.append(parameter)
    }
}
