import FHIR
import Surveys
import Synchronization

/// Runs the searches of forms: one after the other for each response, a limited number at once, each for a
/// few seconds, and only in the value sets of the survey's questions.
final class OptionSearcher: Sendable {
    /// The most searches of one form.
    static let maximumOfForm = 8
    /// The most searches that are under way.
    static let maximumAtOnce = 16
    /// How many found codes are known at least.
    static let maximumKnown = 10_000

    private struct State {
        var running = 0
        /// The search that runs for a form, by response: a newer form cancels it.
        var forms: [String: Task<[PresentedItem.ID: PresentedSearch], Never>] = [:]
        /// What was found, by value set, language and token: so that what is chosen is known when it is sent.
        /// The older ones go, all at once.
        var known: [String: SurveyOption] = [:]
        var older: [String: SurveyOption] = [:]
    }

    private let find: OptionSearch.Function?
    private let time: Duration
    private let state = Mutex(State())

    init(_ find: OptionSearch.Function?, time: Duration) {
        self.find = find
        self.time = time
    }

    /// What is found for the texts of a form, by the names of their questions. A search that still runs for
    /// an earlier form of the same response is cancelled: somebody typed on.
    ///
    /// - Parameter response: The token of the response.
    func searches(of form: SentForm, _ response: String, in survey: Survey, language: String?) async
        -> [PresentedItem.ID: PresentedSearch]
    {
        guard find != nil else { return [:] }
        var open: [(name: String, search: OptionSearch)] = []
        var found: [PresentedItem.ID: PresentedSearch] = [:]
        for name in form.asked {
            guard let text = form.searchText(of: name), let item = ItemKey.item(of: name, in: survey) else {
                continue
            }
            found[name] = PresentedSearch(text: String(text.prefix(OptionSearch.maximumCharacters)))
            if let search = OptionSearch(text, of: item, in: survey, language: language) {
                open.append((name, search))
            }
        }
        // The one that was typed in last is not left out.
        open.sort { first, second in
            (first.name == form.found ? 0 : 1, first.name) < (second.name == form.found ? 0 : 1, second.name)
        }
        guard !open.isEmpty else { return found }
        let task = Task { [open, found] in
            var found = found
            for (name, search) in open.prefix(Self.maximumOfForm) {
                found[name]?.state = Task.isCancelled ? .failed : await result(of: search)
            }
            return found
        }
        let older = state.withLock { $0.forms.updateValue(task, forKey: response) }
        older?.cancel()
        defer {
            state.withLock { state in
                if state.forms[response] == task { state.forms[response] = nil }
            }
        }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func result(of search: OptionSearch) async -> PresentedSearch.State {
        let isTaken = state.withLock { state in
            guard state.running < Self.maximumAtOnce else { return false }
            state.running += 1
            return true
        }
        guard isTaken, let find else { return .failed }
        defer { state.withLock { $0.running -= 1 } }
        let found = await withTaskGroup { [time] group in
            group.addTask { try? await find(search) }
            group.addTask {
                try? await Task.sleep(for: time)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        guard let found else { return .failed }
        remember(found, search.valueSet, search.language)
        return .found(found)
    }

    private func remember(_ found: FoundOptions, _ valueSet: String, _ language: String?) {
        state.withLock { state in
            for option in found.options {
                state.known[Self.key(option.value.choiceID, valueSet, language)] = option
            }
            guard state.known.count > Self.maximumKnown else { return }
            state.older = state.known
            state.known = [:]
        }
    }

    /// Adds to a question's options what was found earlier in the language, and is chosen.
    func addKnown(_ tokens: [String], to question: inout PresentedItem, language: String?) {
        guard case .searched(let valueSet)? = question.item.format.options else { return }
        var offered = Set(question.options.map(\.value.choiceID))
        state.withLock { state in
            for token in tokens where offered.insert(token).inserted {
                let key = Self.key(token, valueSet, language)
                guard let option = state.known[key] ?? state.older[key] else { continue }
                question.options.append(option)
            }
        }
    }

    private static func key(_ token: String, _ valueSet: String, _ language: String?) -> String {
        "\(language ?? "")\n\(valueSet)\n\(token)"
    }
}

extension SentForm {
    /// The question that is searched for by the button that was pressed, or that was typed in last.
    var found: String? {
        if let name = self["find"] { return name }
        let action = self["action"]?.split(separator: " ", maxSplits: 1) ?? []
        return action.count == 2 && action[0] == "find" ? String(action[1]) : nil
    }

    /// What was typed into a question's search field.
    func searchText(of question: String) -> String? {
        self["\(question).search"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A question for which something was typed that the form had not been shown the result of: Return in its
    /// field sends the form where there is no script.
    var unsearched: String? {
        asked.sorted().first { name in
            guard let text = searchText(of: name).flatMap(OptionSearch.searched) else { return false }
            return text != OptionSearch.searched(self["\(name).search.shown"] ?? "")
        }
    }
}
