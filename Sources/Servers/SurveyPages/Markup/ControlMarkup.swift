import FHIR
import Surveys
import WebServing

/// The fields of one question as markup.
struct ControlMarkup {
    let items: ItemMarkup
    let item: PresentedItem
    /// The accessible name of fields that no label names, as in tables.
    var label: String?

    private var words: PageWords { items.words }
    private var name: String { item.id }

    var markup: Markup {
        if item.control?.isChoice == true, item.control != .search, item.choices.isEmpty,
            !item.item.format.allowsOpenChoice
        {
            return "<p>\(words.noOptions)</p>"
        }
        switch item.control {
        case .yesNo, .radioButtons, .checkboxes: return choices + openField
        case .menu: return menu + openField
        case .search: return search + choices + openField
        case .text, .textArea, .number, .quantity, .time: return lines
        case .date, .dateTime: return Markup(item.fields.map { date($0) })
        case .attachment: return files
        case nil: return .empty
        }
    }

    // MARK: Choices

    /// A choice with its markup and its media.
    private func label(_ choice: SurveyChoice, _ index: Int) -> Markup {
        guard let option = choice.option else { return "\(choice.label)" }
        let prefix: Markup = option.prefix.map { "\($0) " } ?? ""
        let media = option.media.map {
            items.media(
                $0,
                at: "\(items.base)/media/\(item.item.index)/\(index)",
                label: choice.text.text(in: items.language)
            )
        }
        return prefix + choice.text.line(in: items.language) + (media ?? .empty)
    }

    private var choices: Markup {
        let type: Markup = item.allowsMultipleSelection ? "checkbox" : "radio"
        let choices = item.choices
        let buttons = choices.enumerated().map { index, choice -> Markup in
            """
            <label class="choice" data-item="\(choice.id)">\
            <input type="\(type)" id="\(name).\(index)" name="\(name)" \
            value="\(choice.id)"\
            \(choice.isChosen ? " checked" : "" as Markup)\
            \(choice.option?.isExclusive == true ? " data-exclusive" : "" as Markup)>\
            <span>\(label(choice, index))</span></label>
            """
        }
        let isRow = item.control == .yesNo || item.item.orientation == "horizontal"
        let columns = item.item.columnCount.map { " columns-\($0)" as Markup } ?? (isRow ? " row" : "")
        var result: Markup = "<div class=\"options\(columns)\">\(buttons)</div>"
        if !item.allowsMultipleSelection, !item.item.isRequired, choices.contains(where: \.isChosen),
            label == nil
        {
            result += """
                <p><button class="small" name="action" value="clear \(name)">\(words.clear)\
                <span class="unseen">: \(item.item.label(in: items.language))</span></button></p>
                """
        }
        return result
    }

    /// The field that is searched by, its button for who has no script, and what became of it.
    private var search: Markup {
        let field = "\(name).search"
        let text = item.search?.text ?? ""
        let verb = words.phrases.sentence("search")
        let about = label ?? item.item.label(in: items.language)
        let focus: Markup = items.visit.focus == name ? " autofocus" : ""
        return """
            <div class="search"><input type="search" id="\(field)" name="\(field)" value="\(text)" \
            maxlength="\(OptionSearch.maximumCharacters)" autocomplete="off" data-search="\(name)" \
            aria-label="\(verb): \(about)" aria-describedby="\(field).note"\(focus)>\
            <button class="small" name="action" value="find \(name)">\(verb)\
            <span class="unseen">: \(about)</span></button></div>\
            <input type="hidden" name="\(field).shown" value="\(text)">\
            <p class="hint" id="\(field).note" role="status">\(item.searchNote ?? "")</p>
            """
    }

    private var menu: Markup {
        let lines = item.choices.enumerated().map { index, choice -> Markup in
            """
            <option value="\(choice.id)"\(choice.isChosen ? " selected" : "" as Markup)>\
            \(plain(label(choice, index)))</option>
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
        guard item.item.format.allowsOpenChoice else { return .empty }
        let fields = item.fields.map { field -> Markup in
            """
            <label class="open">\(item.otherLabel)<input type="text" id="\(field.id.description)" \
            name="\(name).other" value="\(field.text)" data-open></label>
            """
        }
        return Markup(fields)
    }

    // MARK: Lines

    /// What describes a field, and its name where no label does.
    private var attributes: Markup {
        var result: Markup = item.isFieldset ? "" : items.describedBy(item)
        if let label { result += " aria-label=\"\(label)\"" }
        if item.item.isRequired { result += " aria-required=\"true\"" }
        return result
    }

    private var lines: Markup {
        let all = item.fields
        var fields = all.map { line($0, isOfSeveral: all.count > 1) }
        if item.item.repeats, label == nil {
            fields.append(
                "<p><button class=\"small\" name=\"action\" value=\"save\">\(words.addAnswer)</button></p>"
            )
        }
        return Markup(fields)
    }

    private func line(_ line: SurveyField, isOfSeveral: Bool) -> Markup {
        let field = "\(line.id)"
        let text = unreadable(field) ?? line.text
        let format = item.item.format
        var more = attributes
        if isOfSeveral, label == nil {
            more += " aria-label=\"\(item.label) \(line.id.index + 1)\""
        }
        if let placeholder = format.placeholder {
            more += " placeholder=\"\(placeholder.text(in: items.language))\""
        }
        if let length = format.maxLength, length > 0, length <= 1_000_000 {
            more += " data-most=\"\(length)\""
        }
        switch item.control {
        case .textArea:
            return "<textarea id=\"\(field)\" name=\"\(field)\" rows=\"4\"\(more)>\n\(text)</textarea>"
        case .time:
            return
                """
                <input type="time" id="\(field)" name="\(field)" \
                value="\(String(text.prefix(5)))"\(more)>
                """
        case .number(let isInteger, let slider):
            let input: Markup = """
                <input type="text" inputmode="\(isInteger ? "numeric" : "decimal")" autocomplete="off" \
                class="number" id="\(field)" name="\(field)" value="\(text)"\(more)>
                """
            guard let slider else { return input + unit }
            return """
                <div class="slider">\(input)\(unit)<input type="range" hidden \
                data-slider="\(field)" min="\(slider.minimum.description)" \
                max="\(slider.maximum.description)" step="\(slider.step.map(String.init) ?? "any")" \
                value="\(text.isEmpty ? slider.minimum.description : text)" \
                aria-label="\(item.item.label(in: items.language)), \(words.slider)"></div>
                """
        case .quantity:
            let input: Markup = """
                <input type="text" inputmode="decimal" autocomplete="off" class="number" id="\(field)" \
                name="\(field)" value="\(text)"\(more)>
                """
            return "<div class=\"quantity\">\(input)\(unitField(line))</div>"
        default:
            return
                """
                <input type="\(keyboard)" id="\(field)" name="\(field)" \
                value="\(text)"\(more)\(filling)>
                """
        }
    }

    /// The text that the person sent, where it is not an answer.
    private func unreadable(_ field: String) -> String? { items.visit.unreadable[name]?[field] }

    private var unit: Markup {
        item.item.format.units.first.map {
            "<span class=\"unit\">\(SurveyText($0).text(in: items.language))</span>"
        } ?? .empty
    }

    private func unitField(_ field: SurveyField) -> Markup {
        let units = item.item.format.units
        guard !units.isEmpty, !item.item.format.isUnitOpen else {
            let name: Markup = "\(field.id.description).unit"
            let offered: Markup =
                units.isEmpty ? .empty : "<datalist id=\"\(name).list\">\(options(of: units))</datalist>"
            let reference: Markup = units.isEmpty ? .empty : " list=\"\(name).list\""
            return
                """
                <label class="unit">\(words.unit)<input type="text" name="\(name)" \
                value="\(field.unit)"\(reference)></label>\(offered)
                """
        }
        guard units.count > 1 else { return unit }
        return
            """
            <label class="unit"><span class="unseen">\(words.unit)</span>\
            <select name="\(field.id.description).unit">\
            \(options(of: units, chosen: field.unit))</select></label>
            """
    }

    private func options(of units: [Coding], chosen: String? = nil) -> [Markup] {
        units.prefix(200).map { unit in
            let token = unit.code ?? unit.display ?? ""
            let text = SurveyText(unit).text(in: items.language)
            let selected: Markup = token == chosen ? " selected" : ""
            return "<option value=\"\(token)\"\(selected)>\(text)</option>"
        }
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

    private func date(_ line: SurveyField) -> Markup {
        let field = "\(line.id)"
        let index = line.id.index
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
