import FHIR
import Surveys
import WebServing

/// Items of a page as markup.
struct ItemMarkup {
    let visit: SurveyVisit
    let words: PageWords
    let language: String?
    /// The address that pages begin with.
    let base: String
    func markup(_ items: [PresentedItem]) -> Markup {
        var result = Markup.empty
        var index = 0
        while index < items.count {
            var end = index + 1
            while end < items.count, items[end].item.index == items[index].item.index { end += 1 }
            let repetitions = items[index..<end]
            if let table = TableMarkup(self, rows: repetitions) {
                result += table.markup
            } else {
                for item in repetitions { result += markup(item) }
            }
            if let last = repetitions.last, last.canAddRepetition {
                result += """
                    <p class="add"><button name="action" value="add \(last.id)" \
                    data-keep>\(words.add)<span class="unseen">: \
                    \(last.item.label(in: language))</span></button></p>
                    """
            }
            index = end
        }
        return result
    }

    private func markup(_ item: PresentedItem) -> Markup {
        switch item.kind {
        case .group: group(item)
        case .display: display(item)
        case .output, .question: question(item)
        }
    }

    // MARK: Groups and displays

    private func group(_ item: PresentedItem) -> Markup {
        if let matrix = TableMarkup(self, choicesOf: item) { return matrix.markup }
        var legend = label(item)
        if item.item.repeats {
            legend += " <span class=\"quiet\">\(item.repetition + 1)/\(item.repetitions)</span>"
        }
        var children = markup(item.children)
        if let count = item.item.columnCount {
            children = "<div class=\"columns columns-\(count)\">\(children)</div>"
        }
        let content = errors(item) + help(item) + media(item) + children + removal(item)
        // A page's own group has the page's heading for its legend.
        let inside: Markup =
            item.item.collapsible == nil
            ? content
            : """
            <details\(item.item.collapsible == "default-closed" ? "" : " open" as Markup)>\
            <summary>\(label(item))</summary>\(content)</details>
            """
        return """
            <fieldset class="group" id="\(item.id)" data-item="\(item.id)" tabindex="-1">\
            <legend\(item.item.text == nil && !item.item.repeats ? " class=\"unseen\"" : "" as Markup)>\
            \(legend)</legend>\(inside)</fieldset>
            """
    }

    /// The button that takes a repetition away.
    func removal(_ item: PresentedItem) -> Markup {
        guard item.item.repeats, item.repetitions > 1 else { return .empty }
        return """
            <p><button class="small" name="action" value="remove \(item.id)">\(words.remove)\
            <span class="unseen">: \(item.item.label(in: language)) \(item.repetition + 1)</span></button></p>
            """
    }

    private func display(_ item: PresentedItem) -> Markup {
        guard item.item.text != nil || item.item.media != nil else { return .empty }
        let text = item.item.text.map { $0.block(in: language) } ?? .empty
        let kind: Markup = item.item.displayCategory == "security" ? " note" : ""
        return
            """
            <div class="display\(kind)" data-item="\(item.id)" \
            id="\(item.id)">\(text)\(media(item))</div>
            """
    }

    // MARK: Questions

    private func question(_ item: PresentedItem) -> Markup {
        let isFieldset = item.isFieldset || item.fields.count > 1
        let control = item.item.isReadOnly ? output(item) : ControlMarkup(items: self, item: item).markup
        let problem: Markup = item.problems.isEmpty ? "" : " wrong"
        let content = help(item) + media(item) + errors(item) + control
        let inside: Markup
        if item.item.isReadOnly {
            inside = "<div class=\"question\"><span class=\"label\">\(label(item))</span>\(content)</div>"
        } else if isFieldset {
            inside = """
                <fieldset class="question"\(describedBy(item))><legend>\(label(item))</legend>\
                \(content)</fieldset>
                """
        } else {
            inside =
                "<div class=\"question\"><label for=\"\(item.id).0\">\(label(item))</label>\(content)</div>"
        }
        let asked: Markup =
            item.item.isReadOnly ? .empty : "<input type=\"hidden\" name=\"asked\" value=\"\(item.id)\">"
        let nested = item.answerChildren.enumerated().map { index, children -> Markup in
            let about: Markup =
                item.answers.count > 1
                ? "<p class=\"about\">\(item.text(of: item.answers[index]))</p>" : .empty
            return children.isEmpty ? .empty : "<div class=\"nested\">\(about)\(markup(children))</div>"
        }
        return """
            <div class="item\(problem)" id="\(item.id)" data-item="\(item.id)" \
            tabindex="-1">\(asked)\(inside)\(nested)</div>
            """
    }

    /// The text of an item, with its mark of being required.
    func label(_ item: PresentedItem) -> Markup {
        var parts: [Markup] = []
        if let prefix = item.item.prefix { parts.append(prefix.line(in: language) + " ") }
        if let text = item.item.text {
            parts.append(text.line(in: language))
        } else if item.item.isQuestion {
            parts.append("\(item.item.linkId)")
        }
        if item.item.isRequired, !item.item.isGroup {
            parts.append(
                """
                 <span class="mark" aria-hidden="true">*</span><span class="unseen"> \
                (\(words.required))</span>
                """
            )
        }
        return Markup(parts)
    }

    private func output(_ item: PresentedItem) -> Markup {
        let text = item.answerText
        return
            """
            <output class="computed" \
            aria-label="\(item.item.label(in: language))">\(text.isEmpty ? "–" : text)</output>
            """
    }

    // MARK: Beside a question

    /// The attribute that names what describes a field.
    func describedBy(_ item: PresentedItem) -> Markup {
        var ids: [String] = []
        if !item.item.help.isEmpty { ids.append("\(item.id).help") }
        if hint(item) != nil { ids.append("\(item.id).hint") }
        if !item.problems.isEmpty { ids.append("\(item.id).problem") }
        let invalid: Markup =
            item.problems.isEmpty || item.isFieldset ? "" : " aria-invalid=\"true\""
        return ids.isEmpty ? invalid : " aria-describedby=\"\(ids.joined(separator: " "))\"\(invalid)"
    }

    func errors(_ item: PresentedItem) -> Markup {
        guard !item.problems.isEmpty else { return .empty }
        let texts = item.problems.joined(separator: " ")
        return "<p class=\"problem\" id=\"\(item.id).problem\">\(texts)</p>"
    }

    /// What may be entered.
    func hint(_ item: PresentedItem) -> String? {
        if item.control == .date { return words.optional }
        if case .number(_, let slider?)? = item.control { return "\(slider.minimum) – \(slider.maximum)" }
        return nil
    }

    private func help(_ item: PresentedItem) -> Markup {
        var result = Markup.empty
        if !item.item.help.isEmpty {
            result += """
                <details class="help"><summary>\(words.help)</summary>\
                <div id="\(item.id).help">\(item.item.help.map { $0.block(in: language) })</div></details>
                """
        }
        let links = item.item.supportLinks.filter(Markdown.isLink)
        for (number, url) in links.prefix(20).enumerated() {
            let label = links.count > 1 ? "\(words.more) (\(number + 1))" : words.more
            if let link = Markdown.anchor(url, label: label) { result += "<p class=\"more\">\(link)</p>" }
        }
        if let hint = hint(item) { result += "<p class=\"hint\" id=\"\(item.id).hint\">\(hint)</p>" }
        return result
    }

    private func media(_ item: PresentedItem) -> Markup {
        guard let media = item.item.media else { return .empty }
        return self.media(media, at: "\(base)/media/\(item.item.index)", label: item.item.label(in: language))
    }

    /// A picture, sound or video that the questionnaire has; what is elsewhere is a link, so that nobody
    /// there learns who opens the page.
    func media(_ media: Attachment, at address: String, label: String) -> Markup {
        let title = media.title ?? label
        guard media.data != nil, let type = SurveyMedia.type(media) else {
            return media.url.flatMap {
                Markdown.anchor($0.rawValue, label: title.isEmpty ? $0.rawValue : title)
            }.map {
                "<p>\($0)</p>"
            } ?? .empty
        }
        if type.hasPrefix("image/") { return "<img class=\"media\" src=\"\(address)\" alt=\"\(title)\">" }
        let tag = Markup(trusted: type.hasPrefix("audio/") ? "audio" : "video")
        return "<\(tag) class=\"media\" controls src=\"\(address)\" aria-label=\"\(title)\"></\(tag)>"
    }
}

extension PresentedItem {
    /// Whether the control is a set of fields, which a legend names.
    var isFieldset: Bool {
        switch control {
        case .yesNo, .radioButtons, .checkboxes, .search, .date, .dateTime: true
        default: false
        }
    }
}

/// Media that browsers show and cannot be led astray by.
enum SurveyMedia {
    static func type(_ media: Attachment) -> String? {
        let type = (media.contentType ?? "").prefix { $0 != ";" }.lowercased()
        let known = [
            "image/png", "image/jpeg", "image/gif", "image/webp", "audio/mpeg", "audio/ogg", "audio/wav",
            "audio/mp4", "video/mp4",
            "video/webm", "video/ogg",
        ]
        return known.contains(type) ? type : nil
    }
}
