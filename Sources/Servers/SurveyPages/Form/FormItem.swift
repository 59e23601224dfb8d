import FHIR
import Foundation
import IndivoBase
import Surveys

/// An occurrence of an item on a page, with what its markup and its reading share: a name, a control, the
/// options.
struct FormItem {
    let key: FormKey
    let occurrence: ItemOccurrence
    let item: SurveyItem
    /// Of a repeating group which repetition, from 0, and of how many.
    var repetition = 0
    var repetitions = 1
    var answers: [SurveyAnswer] = []
    /// What can be chosen.
    var options: [SurveyOption] = []
    var control = FormControl.text
    /// Of a group what is in it.
    var children: [FormItem] = []
    /// Of a question what is under each of its answers.
    var answerChildren: [[FormItem]] = []

    /// What fields of a form are called that belong to the item.
    var name: String { key.text }
}

/// The name of an occurrence, the same after a restart: its linkId, and the numbers of the repetitions and
/// answers that it is in. Letters, digits and `-._~:`, so that it is an id of HTML and a fragment of a URL.
struct FormKey: Hashable {
    let text: String
    private let numbers: String

    static let root = FormKey(text: "", numbers: "")

    private init(text: String, numbers: String) {
        self.text = text
        self.numbers = numbers
    }

    /// The key of an occurrence in a group or under an answer.
    func child(_ item: SurveyItem, isFirstOfLinkId: Bool, repetition: Int) -> FormKey {
        let own = item.isGroup && item.repeats ? numbers + "\(repetition)." : numbers
        let name = isFirstOfLinkId ? Self.encoded(item.linkId) : "~item\(item.index)"
        return FormKey(text: own.isEmpty ? name : "\(own):\(name)", numbers: own)
    }

    /// The key that what is under an answer begins with.
    func answer(_ index: Int) -> FormKey { FormKey(text: text, numbers: numbers + "a\(index).") }

    private static func encoded(_ linkId: String) -> String {
        PercentEncoding.encode(linkId).replacing("~", with: "%7E").replacing("%", with: "~")
    }
}

/// Walks a session, and makes the items of a page.
struct FormWalk {
    let session: SurveySession
    /// Whether items that are not asked are left out, and options and controls are found.
    let isShown: Bool

    /// The occurrences and everything under them.
    func items(_ occurrences: [ItemOccurrence], under key: FormKey = .root) -> [FormItem] {
        var result: [FormItem] = []
        result.reserveCapacity(occurrences.count)
        var index = 0
        while index < occurrences.count {
            // The occurrences of an item are neighbours.
            let item = session.item(of: occurrences[index])
            var end = index
            while end < occurrences.count, occurrences[end].item == item.index { end += 1 }
            let isFirst = !item.linkId.isEmpty && session.survey.item(item.linkId)?.index == item.index
            for number in index..<end {
                let occurrence = occurrences[number]
                if isShown, !session.isEnabled(occurrence) || item.isHidden || item.isHelp { continue }
                var formItem = FormItem(
                    key: key.child(item, isFirstOfLinkId: isFirst, repetition: number - index),
                    occurrence: occurrence,
                    item: item
                )
                formItem.repetition = number - index
                formItem.repetitions = end - index
                fill(&formItem)
                result.append(formItem)
            }
            index = end
        }
        return result
    }

    private func fill(_ formItem: inout FormItem) {
        let item = formItem.item
        let occurrence = formItem.occurrence
        guard item.isQuestion else {
            if item.isGroup {
                formItem.children = items(session.children(of: occurrence), under: formItem.key)
            }
            return
        }
        formItem.answers = session.answers(of: occurrence)
        if isShown {
            formItem.options = session.options(of: occurrence)
            formItem.control = FormControl(item, options: formItem.options)
        }
        guard !item.children.isEmpty else { return }
        formItem.answerChildren = formItem.answers.indices.map { index in
            items(session.children(of: occurrence, answer: index), under: formItem.key.answer(index))
        }
    }
}

extension FormItem {
    /// The item and everything under it, in order.
    func forEach(_ body: (FormItem) -> Void) {
        body(self)
        for child in children { child.forEach(body) }
        for list in answerChildren { for child in list { child.forEach(body) } }
    }
}
