import FHIR
import Foundation
import OrderedJSON

/// Which form saved which question last. So a form in an old window does not overwrite what it never showed.
///
/// Each form that is saved counts the revision up, and each form carries the revision that it was shown at. A
/// form is out of date for a question that another form saved since. A form may be saved again, as after
/// "back" in a browser, and replaces what it saved itself; a copy of its window has the same form.
struct SavedForms: Sendable {
    private struct Save {
        var revision: Int
        /// The name of the form; nil where its questions have been renamed since.
        var form: String?
    }

    private(set) var revision = 0
    /// Forms of lower revisions were shown before the response was read from the store, which does not keep
    /// what was saved by which form.
    private var oldestKnown = 0
    private var latest: [String: Save] = [:]
    /// The form that added or removed a repetition last, by its fingerprint.
    private var lastReshaping: String?

    /// Whether another form saved one of the form's questions since, or their names belong to other
    /// repetitions by now.
    func isOutdated(_ form: SentForm) -> Bool {
        guard form.revision < revision else { return false }
        if form.revision < oldestKnown { return true }
        return form.asked.contains { name in
            guard let save = latest[name], save.revision > form.revision else { return false }
            return save.form != form.name
        }
    }

    /// Whether the form asks a question whose repetitions were added or removed since.
    func isReshaped(_ form: SentForm) -> Bool {
        guard form.revision >= oldestKnown else { return false }
        return form.asked.contains { name in
            guard let save = latest[name] else { return false }
            return save.revision > form.revision && save.form == nil
        }
    }

    /// Whether the form is the one that added or removed a repetition last: a button was pressed twice.
    func hasReshaped(_ form: SentForm) -> Bool {
        lastReshaping != nil && lastReshaping == form.fingerprint
    }

    /// - Parameter questions: The names of the questions that the form asks and the survey has.
    mutating func save(_ form: SentForm, questions: some Sequence<String>) {
        revision += 1
        for name in questions { latest[name] = Save(revision: revision, form: form.name) }
    }

    /// Notes that the form which was just saved has added or removed a repetition.
    mutating func reshape(_ form: SentForm, questions: some Sequence<String>) {
        for name in questions { latest[name] = Save(revision: revision, form: nil) }
        lastReshaping = form.fingerprint
    }

    // MARK: In the store

    /// Where a stored response has the revision, until it is complete.
    private static let url = "http://indivo.org/vocab/fhir/form-revision"

    /// Goes on with a stored response, and takes the revision out of it.
    init(takenFrom response: inout JSONValue) {
        let extensions = response.elements(of: "extension")
        let stored = extensions.first { $0["url"]?.string == Self.url }?["valueInteger"]?.integer ?? 1
        revision = max(1, min(stored, Int(Int32.max)))
        oldestKnown = revision
        let others = extensions.filter { $0["url"]?.string != Self.url }
        response["extension"] = others.isEmpty ? nil : JSONValue(others)
    }

    init() {}

    func write(to response: inout JSONValue) {
        let own: JSONValue = ["url": JSONValue(Self.url), "valueInteger": JSONValue(revision)]
        response["extension"] = JSONValue(response.elements(of: "extension") + [own])
    }
}
