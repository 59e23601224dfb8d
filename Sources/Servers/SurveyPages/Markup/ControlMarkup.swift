import FHIR
import Surveys
import WebServing

/// The fields of one question as markup.
struct ControlMarkup {
    let items: ItemMarkup
    let item: FormItem
    /// The accessible name of fields that no label names, as in tables.
    var label: String?

    private var words: PageWords { items.words }
    private var name: String { item.name }

    var markup: Markup {
        switch item.control {
        case .yesNo:
            let chosen = item.answers.first
            return choices([
                ("true", "\(words.yes)", chosen == .boolean(true)),
                ("false", "\(words.no)", chosen == .boolean(false)),
            ])
        case .radios, .checkboxes, .list:
            let options = options
            if options.isEmpty, !item.item.format.isOpen { return "<p>\(words.noOptions)</p>" }
            return (item.control == .list ? list : choices(options)) + openField
        case .text, .lines, .number, .quantity, .time: return lines
        case .date, .dateTime:
            return Markup((0..<items.fieldCount(item)).map { date($0) })
        case .file: return files
        }
    }

    // MARK: Choices

    /// What can be chosen: the value in the form, the label, whether it is chosen. An answer that is offered
    /// no more stays.
    private var options: [(token: String, label: Markup, isChosen: Bool)] {
        let chosen = Set(item.answers.map(FormReader.token))
        var known: Set<String> = []
        var result = item.options.enumerated().map { index, option in
            let token = FormReader.token(option.value)
            known.insert(token)
            let prefix: Markup = option.prefix.map { "\($0) " } ?? ""
            let media = option.media.map {
                items.media(
                    $0,
                    at: "\(items.base)/media/\(item.item.index)/\(index)",
                    label: option.label.text(in: items.language)
                )
            }
            return (
                token, prefix + option.label.line(in: items.language) + (media ?? .empty),
                chosen.contains(token)
            )
        }
        for answer in item.answers where known.insert(FormReader.token(answer)).inserted {
            if item.item.format.isOpen, case .string = answer { continue }
            result.append((FormReader.token(answer), "\(answer.label)", true))
        }
        return result
    }

    private func choices(_ options: [(token: String, label: Markup, isChosen: Bool)]) -> Markup {
        let type: Markup = item.control == .checkboxes ? "checkbox" : "radio"
        let exclusive = Set(item.options.filter(\.isExclusive).map { FormReader.token($0.value) })
        let buttons = options.enumerated().map { index, option -> Markup in
            """
            <label class="choice"><input type="\(type)" id="\(name).\(index)" name="\(name)" \
            value="\(option.token)"\
            \(option.isChosen ? " checked" : "" as Markup)\
            \(exclusive.contains(option.token) ? " data-exclusive" : "" as Markup)>\
            <span>\(option.label)</span></label>
            """
        }
        let isRow = item.control == .yesNo || item.item.orientation == "horizontal"
        var result: Markup = "<div class=\"options\(isRow ? " row" : "" as Markup)\">\(buttons)</div>"
        if item.control != .checkboxes, !item.item.isRequired, options.contains(where: \.isChosen),
            label == nil
        {
            result += """
                <p><button class="small" name="action" value="clear \(name)">\(words.clear)\
                <span class="unseen">: \(item.item.label(in: items.language))</span></button></p>
                """
        }
        return result
    }

    private var list: Markup {
        let options = options
        let lines = options.map { option -> Markup in
            """
            <option value="\(option.token)"\(option.isChosen ? " selected" : "" as Markup)>\
            \(plain(option.label))</option>
            """
        }
        return """
            <select id="\(name).0" name="\(name)"\(attributes)><option value="">\(words.choose)</option>\
            \(lines)</select>
            """
    }

    /// The text of markup: options of a list have no elements.
    private func plain(_ markup: Markup) -> Markup {
        Markup(trusted: markup.description.replacing(/<[^>]*>/, with: ""))
    }

    /// The fields for what is not among the options.
    private var openField: Markup {
        guard item.item.format.isOpen else { return .empty }
        let known = Set(item.options.map { FormReader.token($0.value) })
        var texts = item.answers.compactMap { answer -> String? in
            if case .string(let text) = answer, !known.contains(FormReader.token(answer)) { return text }
            return nil
        }
        if texts.isEmpty || item.item.repeats { texts.append("") }
        let label = item.item.format.openLabel?.text(in: items.language) ?? words.other
        let fields = texts.enumerated().map { index, text -> Markup in
            """
            <label class="open">\(label)<input type="text" id="\(name).other.\(index)" name="\(name).other" \
            value="\(text)" data-open></label>
            """
        }
        return Markup(fields)
    }

    // MARK: Lines

    /// What describes a field, and its name where no label does.
    private var attributes: Markup {
        var result: Markup = item.control.isFieldset ? "" : items.describedBy(item)
        if let label { result += " aria-label=\"\(label)\"" }
        if item.item.isRequired { result += " aria-required=\"true\"" }
        return result
    }

    private var lines: Markup {
        let count = items.fieldCount(item)
        var fields = (0..<count).map { line($0, isOfSeveral: count > 1) }
        if item.item.repeats, label == nil {
            fields.append(
                "<p><button class=\"small\" name=\"action\" value=\"save\">\(words.addAnswer)</button></p>"
            )
        }
        return Markup(fields)
    }

    private func line(_ index: Int, isOfSeveral: Bool) -> Markup {
        let field = "\(name).\(index)"
        let answer = item.answers.indices.contains(index) ? item.answers[index] : nil
        let text = unreadable(field) ?? answer.map(Self.text) ?? ""
        let format = item.item.format
        var more = attributes
        if isOfSeveral, label == nil {
            more += " aria-label=\"\(item.item.label(in: items.language)) \(index + 1)\""
        }
        if let placeholder = format.placeholder {
            more += " placeholder=\"\(placeholder.text(in: items.language))\""
        }
        if let length = format.maxLength, length > 0, length <= 1_000_000 {
            more += " data-most=\"\(length)\""
        }
        switch item.control {
        case .lines:
            return "<textarea id=\"\(field)\" name=\"\(field)\" rows=\"4\"\(more)>\n\(text)</textarea>"
        case .time:
            return
                """
                <input type="time" id="\(field)" name="\(field)" \
                value="\(String(text.prefix(5)))"\(more)>
                """
        case .number(let isWhole, let slider):
            let input: Markup = """
                <input type="text" inputmode="\(isWhole ? "numeric" : "decimal")" autocomplete="off" \
                class="number" id="\(field)" name="\(field)" value="\(text)"\(more)>
                """
            guard let slider else { return input + unit }
            return """
                <div class="slider">\(input)\(unit)<input type="range" hidden \
                data-slider="\(field)" min="\(slider.minimum)" max="\(slider.maximum)" \
                step="\(slider.step)" value="\(text.isEmpty ? slider.minimum : text)" \
                aria-label="\(item.item.label(in: items.language)), \(words.slider)"></div>
                """
        case .quantity:
            let input: Markup = """
                <input type="text" inputmode="decimal" autocomplete="off" class="number" id="\(field)" \
                name="\(field)" value="\(text)"\(more)>
                """
            return "<div class=\"quantity\">\(input)\(unitField(field, answer))</div>"
        default:
            return
                """
                <input type="\(keyboard)" id="\(field)" name="\(field)" \
                value="\(text)"\(more)\(filling)>
                """
        }
    }

    /// The text that the person sent, where it is no answer.
    private func unreadable(_ field: String) -> String? { items.visit.unreadable[name]?[field] }

    private static func text(_ answer: SurveyAnswer) -> String {
        switch answer {
        case .quantity(let quantity): quantity.value?.description ?? ""
        case .reference(let reference): reference.reference ?? ""
        default: answer.label
        }
    }

    private var unit: Markup {
        item.item.format.units.first.map {
            "<span class=\"unit\">\(SurveyText($0).text(in: items.language))</span>"
        } ?? .empty
    }

    private func unitField(_ field: String, _ answer: SurveyAnswer?) -> Markup {
        var current: String?
        if case .quantity(let quantity)? = answer { current = quantity.code ?? quantity.unit }
        let units = item.item.format.units
        guard !units.isEmpty else {
            return
                """
                <label class="unit">\(words.unit)<input type="text" name="\(field).unit" \
                value="\(current ?? "")"></label>
                """
        }
        guard units.count > 1 else { return unit }
        let options = units.prefix(200).map { unit -> Markup in
            let token = unit.code ?? unit.display ?? ""
            let text = SurveyText(unit).text(in: items.language)
            return
                "<option value=\"\(token)\"\(token == current ? " selected" : "" as Markup)>\(text)</option>"
        }
        return
            """
            <label class="unit"><span class="unseen">\(words.unit)</span>\
            <select name="\(field).unit">\(options)</select></label>
            """
    }

    private var keyboard: Markup {
        switch item.item.format.keyboard {
        case "emailAddress"?: "email"
        case "phonePad"?: "tel"
        default: item.item.format.textContent == "telephoneNumber" ? "tel" : "text"
        }
    }

    /// What browsers may fill in, and how a keyboard begins.
    private var filling: Markup {
        let fields = [
            "name": "name", "givenName": "given-name", "familyName": "family-name", "emailAddress": "email",
            "telephoneNumber": "tel", "postalCode": "postal-code", "addressCity": "address-level2",
            "fullStreetAddress": "street-address", "countryName": "country-name",
            "organizationName": "organization",
        ]
        var result: Markup = item.item.type == .url ? " inputmode=\"url\"" : ""
        if let field = item.item.format.textContent.flatMap({ fields[$0] }) {
            result += " autocomplete=\"\(field)\""
        }
        let capitals = [
            "none": "none", "words": "words", "sentences": "sentences", "allCharacters": "characters",
        ]
        if let capital = item.item.format.capitalization.flatMap({ capitals[$0] }) {
            result += " autocapitalize=\"\(capital)\""
        }
        return result
    }

    // MARK: Dates

    private func date(_ index: Int) -> Markup {
        let field = "\(name).\(index)"
        var parts = ["", "", "", ""]
        if item.answers.indices.contains(index) {
            switch item.answers[index] {
            case .date(let date): parts = Self.parts(date, nil)
            case .dateTime(let value): parts = Self.parts(value.date, value.time)
            default: break
            }
        }
        let names = ["day", "month", "year", "time"]
        for (position, part) in names.enumerated() {
            parts[position] = unreadable("\(field).\(part)") ?? parts[position]
        }
        let labels = [words.day, words.month, words.year, words.time]
        let inputs = (0..<(item.control == .dateTime ? 4 : 3)).map { position -> Markup in
            let part = "\(field).\(names[position])"
            let type: Markup =
                position == 3
                ? "type=\"time\""
                : """
                type="text" inputmode="numeric" autocomplete="off" \
                maxlength="\(position == 2 ? 4 : 2)"
                """
            let prefix: Markup = label.map { "<span class=\"unseen\">\($0): </span>" } ?? .empty
            return """
                <label class="part \(names[position])">\(prefix)\(labels[position])\
                <input \(type) id="\(part)" name="\(part)" value="\(parts[position])"></label>
                """
        }
        return "<div class=\"date\">\(inputs)</div>"
    }

    private static func parts(_ date: FHIRDate, _ time: FHIRTime?) -> [String] {
        [
            date.day.map(String.init) ?? "", date.month.map(String.init) ?? "", String(date.year),
            time.map { String($0.description.prefix(5)) } ?? "",
        ]
    }

    // MARK: Files

    private var files: Markup {
        let stored = item.answers.enumerated().map { index, answer -> Markup in
            guard case .attachment(let file) = answer else { return .empty }
            let size = file.size.map { " (\(max(1, $0 / 1_000)) kB)" } ?? ""
            return """
                <li>\(file.title ?? file.contentType ?? "")\(size) <label class="choice small">\
                <input type="checkbox" name="\(name).remove" value="\(index)">\
                <span>\(words.remove)</span></label></li>
                """
        }
        let accept: Markup =
            item.item.format.mediaTypes.isEmpty
            ? "" : " accept=\"\(item.item.format.mediaTypes.joined(separator: ","))\""
        let list: Markup = stored.isEmpty ? .empty : "<ul class=\"files\">\(stored)</ul>"
        return """
            \(list)<input type="file" id="\(name).0" name="\(name)"\(accept)\
            \(item.item.repeats ? " multiple" : "" as Markup)\(attributes)>
            """
    }
}
