import FHIR

/// Walks a session, and makes the items of a page.
package struct ItemWalk {
    let session: SurveySession
    let phrases: SurveyPhrases
    /// Whether items that are not asked are left out, and options and controls are found.
    let isShown: Bool

    package init(session: SurveySession, phrases: SurveyPhrases = .english, isShown: Bool) {
        self.session = session
        self.phrases = phrases
        self.isShown = isShown
    }

    /// The occurrences and everything under them.
    package func items(_ occurrences: [ItemOccurrence]) -> [PresentedItem] {
        items(occurrences, under: .root, depth: 0)
    }

    private func items(_ occurrences: [ItemOccurrence], under key: ItemKey, depth: Int) -> [PresentedItem] {
        var result: [PresentedItem] = []
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
                var shown = item
                shown.text = session.text(of: occurrence)
                shown.prefix = session.prefix(of: occurrence)
                shown.help = session.help(of: occurrence)
                var presented = PresentedItem(
                    occurrence: occurrence,
                    item: shown,
                    kind: kind(item),
                    depth: depth,
                    repetition: number - index,
                    repetitions: end - index,
                    key: key.child(item, isFirstOfLinkId: isFirst, repetition: number - index),
                    phrases: phrases
                )
                fill(&presented)
                result.append(presented)
            }
            if isShown, let last = result.last, last.item.index == item.index {
                result[result.count - 1].canAddRepetition = session.canAddRepetition(of: last.occurrence)
            }
            index = end
        }
        return result
    }

    private func kind(_ item: SurveyItem) -> PresentedItem.Kind {
        if item.isGroup { return .group }
        if item.isDisplay { return .display }
        return item.isReadOnly ? .output : .question(.text)
    }

    private func fill(_ presented: inout PresentedItem) {
        let item = presented.item
        let occurrence = presented.occurrence
        let depth = presented.depth + 1
        guard item.isQuestion else {
            if item.isGroup {
                presented.children = items(
                    session.children(of: occurrence),
                    under: presented.key,
                    depth: depth
                )
            }
            return
        }
        presented.answers = session.answers(of: occurrence)
        presented.origin = session.origin(of: occurrence)
        if isShown { findControl(of: &presented) }
        guard !item.children.isEmpty else { return }
        presented.answerChildren = presented.answers.indices.map { index in
            let children = session.children(of: occurrence, answer: index)
            return items(children, under: presented.key.answer(index), depth: depth)
        }
    }

    /// Finds the options of a question, and by them its control.
    package func findControl(of presented: inout PresentedItem) {
        presented.options = session.options(of: presented.occurrence)
        guard case .question = presented.kind else { return }
        presented.kind = .question(SurveyControl(presented.item, options: presented.options))
    }
}
